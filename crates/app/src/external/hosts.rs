//! Hosts that no rule names, as the deciding thread hears of them: it asks nobody itself.

use taffrail_acp::Event;
use taffrail_domain::{Reply, Risk};

use super::driver::Driver;
use super::events::RunEvent;
use super::questions::Outcome;
use crate::network::HostAsked;

impl Driver<'_, '_, '_, '_> {
    /// The run's clocks stand still for a host that a person is asked for, as for every question (FA-26).
    pub(super) fn host(&mut self, asked: HostAsked) {
        match asked {
            HostAsked::Put { question, what } => {
                self.host_asked = true;
                self.record.flush();
                let stop = self.counts(what.len());
                self.record.tell(RunEvent::Question {
                    id: question,
                    what,
                    risk: Risk::Network.name(),
                    destructive: false,
                });
                self.feed_machine(stop.unwrap_or(Event::PersonAsked(true)));
            }
            HostAsked::Over { place, outcome } => {
                self.host_asked = false;
                self.record.note(&told_of_host(&place, outcome));
                self.person_is_free();
            }
        }
    }
}

/// What came of a question for a host.
fn told_of_host(place: &str, outcome: Option<Outcome>) -> String {
    use Outcome::{Said, Unanswered, Withdrawn};
    let why = match outcome {
        Some(Said(said)) if said.reply == Reply::Yes => {
            return format!("a person lets it reach {place}");
        }
        Some(Said(_)) => "a person said no",
        Some(Unanswered) => "nobody answered in time",
        Some(Withdrawn) => "the run was over",
        None => "the answer could not be read",
    };
    format!("it may not reach {place}: {why}")
}
