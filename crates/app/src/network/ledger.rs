//! What a run reached and what it was refused, by host, within bounds.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use taffrail_proxy::{Verdict, Visit};

/// Most hosts of one run that are kept one by one. An agent that was refused more is not looking for hosts.
const MOST_ROWS: usize = 500;

/// One host of a run, for the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostRow {
    /// The host as it was asked for.
    pub host: String,
    /// The host of the tunnel, where TLS in it asked for another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tunnel: Option<String>,
    /// The port; 0 where none was named.
    pub port: u16,
    /// `allowed`, `asked` (a person allowed it), `refused` or `unreachable`.
    pub verdict: &'static str,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'static str>,
    /// The last address that was connected to, or because of which it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// How often.
    pub connections: u64,
    /// Bytes that went there.
    pub up: u64,
    /// Bytes that came from there.
    pub down: u64,
}

/// The event's body.
#[derive(Debug, Serialize)]
pub(super) struct Body {
    hosts: Vec<HostRow>,
    /// Connections to hosts beyond those that are kept.
    #[serde(skip_serializing_if = "is_zero")]
    more: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // what serde calls
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[derive(Default)]
pub(super) struct Ledger(Mutex<Rows>);

#[derive(Default)]
struct Rows {
    rows: BTreeMap<(String, u16, Verdict), HostRow>,
    more: u64,
}

impl Ledger {
    pub fn note(&self, visit: &Visit) {
        let mut rows = self.rows_mut();
        let key = (visit.host.clone(), visit.port, visit.verdict);
        if rows.rows.len() >= MOST_ROWS && !rows.rows.contains_key(&key) {
            rows.more += 1;
            return;
        }
        let row = rows.rows.entry(key).or_insert_with(|| first(visit));
        row.connections += 1;
        row.up = row.up.saturating_add(visit.up);
        row.down = row.down.saturating_add(visit.down);
        row.address = visit
            .address
            .map(|address| address.to_string())
            .or(row.address.take());
    }

    pub fn rows(&self) -> Vec<HostRow> {
        self.rows_mut().rows.values().cloned().collect()
    }

    /// `None`: nothing was asked for.
    pub fn body(&self) -> Option<Body> {
        let (hosts, more) = (self.rows(), self.rows_mut().more);
        (!hosts.is_empty()).then_some(Body { hosts, more })
    }

    fn rows_mut(&self) -> MutexGuard<'_, Rows> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn first(visit: &Visit) -> HostRow {
    let why = match visit.verdict {
        Verdict::Refused(why) => Some(why.name()),
        Verdict::Allowed | Verdict::Asked | Verdict::Unreachable => None,
    };
    HostRow {
        host: visit.host.clone(),
        tunnel: visit.tunnel.clone(),
        port: visit.port,
        verdict: visit.verdict.name(),
        why,
        address: None,
        connections: 0,
        up: 0,
        down: 0,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a helper's panic is the test's failure
mod tests {
    use super::*;
    use taffrail_proxy::Why;

    fn visit(host: &str, verdict: Verdict) -> Visit {
        Visit {
            host: host.to_owned(),
            tunnel: None,
            port: 443,
            verdict,
            address: Some("93.184.216.34:443".parse().unwrap()),
            up: 10,
            down: 100,
        }
    }

    #[test]
    fn cnf_08_visits_of_one_host_are_one_row() {
        let ledger = Ledger::default();
        assert!(ledger.body().is_none());
        for _ in 0..3 {
            ledger.note(&visit("a.example", Verdict::Allowed));
        }
        ledger.note(&visit("a.example", Verdict::Refused(Why::Address)));
        let json = serde_json::to_value(ledger.body().unwrap()).unwrap();
        let expect = serde_json::json!({"hosts": [
            {"host": "a.example", "port": 443, "verdict": "allowed", "address": "93.184.216.34:443",
             "connections": 3, "up": 30, "down": 300},
            {"host": "a.example", "port": 443, "verdict": "refused", "why": "address",
             "address": "93.184.216.34:443", "connections": 1, "up": 10, "down": 100},
        ]});
        assert_eq!(json, expect);
    }

    /// S13: the record says whom TLS asked for, and where.
    #[test]
    fn cnf_08_a_host_that_was_asked_for_in_the_tunnel_of_another_is_told_with_it() {
        let ledger = Ledger::default();
        ledger.note(&Visit {
            tunnel: Some("front.example".to_owned()),
            ..visit("evil.example", Verdict::Refused(Why::OtherName))
        });
        let json = serde_json::to_value(ledger.body().unwrap()).unwrap();
        let row = &json["hosts"][0];
        assert_eq!(row["host"], "evil.example");
        assert_eq!(row["tunnel"], "front.example");
        assert_eq!(
            (&row["verdict"], &row["why"]),
            (&"refused".into(), &"other_name".into())
        );
    }

    #[test]
    fn cnf_08_a_flood_of_hosts_does_not_fill_the_record() {
        let ledger = Ledger::default();
        for number in 0..MOST_ROWS + 7 {
            ledger.note(&visit(
                &format!("h{number}.example"),
                Verdict::Refused(Why::NotAllowed),
            ));
        }
        ledger.note(&visit("h1.example", Verdict::Refused(Why::NotAllowed)));
        let body = ledger.body().unwrap();
        assert_eq!((body.hosts.len(), body.more), (MOST_ROWS, 7));
    }
}
