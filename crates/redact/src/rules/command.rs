//! Passwords on command lines and in the configuration of servers, where a plain word stands before them.

use super::{Rule, token};
use crate::family::Family::Connection;

/// A name or a path, and what may be a password: no quote, no `$`, no `<`.
const NAME_AND_PASSWORD: &str = "[A-Za-z0-9_.@/-]{1,64} [A-Za-z0-9!#%&*+,./:;=?@^_~-]{6,100}";

pub(crate) const TOKENS: &[Rule] = &[
    // A line of `.pgpass`: host, port, database, user, password.
    token(
        Connection,
        "PostgreSQL",
        &[":5432:", ":5433:", ":5434:", ":6432:", ":6543:"],
        "[A-Za-z0-9_*.-]{1,63}:[A-Za-z0-9_*.@-]{1,63}:[!-9;-~]{4,100}",
    )
    .free()
    .kept(),
    token(
        Connection,
        "Redis",
        &["requirepass ", "masterauth "],
        "[A-Za-z0-9!#%&*+,./:;=?@^_~-]{6,200}",
    )
    .kept()
    .digit(),
    token(
        Connection,
        "SNMP",
        &["snmp-server community ", "rocommunity ", "rwcommunity "],
        "[A-Za-z0-9!#%&*+,./:;=?@^_~-]{6,100}",
    )
    .kept()
    .digit(),
    token(
        Connection,
        "account made by a command",
        &[
            "rabbitmqctl add_user ",
            "rabbitmqctl change_password ",
            "net user ",
        ],
        NAME_AND_PASSWORD,
    )
    .kept()
    .digit(),
    token(
        Connection,
        "HTTPie",
        &["http -a ", "https -a "],
        "[A-Za-z0-9_.@-]{1,64}:[A-Za-z0-9!#%&*+,./:;=?@^_~-]{6,100}",
    )
    .kept()
    .digit(),
    // Name and password as two arguments.
    token(
        Connection,
        "basic credentials in code",
        &[
            "HTTPBasicAuth(\"",
            "HTTPBasicAuth('",
            "HttpBasicAuth(\"",
            "PasswordCredential(\"",
            "NetworkCredential(\"",
            "auth=(\"",
            "auth=('",
        ],
        "[A-Za-z0-9_.@/-]{1,64}[\"'], ?[\"'][!#-&(-;=?-~]{8,100}",
    )
    .free()
    .kept()
    .entropy(3.5)
    .digit(),
];
