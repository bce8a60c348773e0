//! How the clients of databases are told what to run. Sources: their manuals.

/// How a client is told what to run. Flags without their dashes; a long one may have one dash or two.
pub struct Client {
    /// What it is called; a `*` at the end stands for anything.
    pub names: &'static [&'static str],
    /// Short flags whose value is a file of commands.
    pub files: &'static str,
    /// Short flags whose value is a command.
    pub texts: &'static str,
    /// Short flags with another value.
    pub valued: &'static str,
    /// Long flags of the first kind.
    pub long_files: &'static [&'static str],
    /// Long flags of the second kind, and those after which nothing is run.
    pub long_texts: &'static [&'static str],
    /// What stands there without a flag.
    pub operands: Operands,
}

/// What stands among a client's words without a flag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    /// Names of databases, users, tables.
    Names,
    /// A name, then commands.
    NameThenCommands,
    /// Commands.
    Commands,
    /// Names, and scripts by their endings or behind an `@`.
    Scripts,
}

/// Flags after which nothing is run.
pub const ENDS: &[&str] = &["help", "version", "list"];
/// The clients.
pub const CLIENTS: &[Client] = &[
    Client {
        names: &[
            "psql*", "pgcli", "vsql", "usql", "pg:psql", "edgedb", "gel", "yugabyte",
        ],
        files: "f",
        texts: "cl?V",
        valued: "dvoLFPRThpU",
        long_files: &["file"],
        long_texts: &["command", "help", "version", "list"],
        operands: Operands::Names,
    },
    Client {
        names: &["mysql", "mariadb", "mycli", "mysqlsh"],
        files: "",
        texts: "eV?",
        valued: "hPuSD",
        long_files: &["file"],
        long_texts: &["execute", "help", "version"],
        operands: Operands::Names,
    },
    Client {
        names: &[
            "sqlite3", "sqlite", "litecli", "duckdb", "turso", "libsql", "rqlite",
        ],
        files: "f",
        texts: "c",
        valued: "",
        long_files: &["init"],
        long_texts: &["cmd", "command", "help", "version"],
        operands: Operands::NameThenCommands,
    },
    Client {
        names: &["redis-cli", "valkey-cli", "keydb-cli"],
        files: "",
        texts: "x",
        valued: "hpsanrdDu3i",
        long_files: &["eval"],
        long_texts: &[
            "help", "version", "scan", "stat", "latency", "bigkeys", "memkeys",
        ],
        operands: Operands::Commands,
    },
    Client {
        names: &["mongo", "mongosh", "arangosh", "cypher-shell"],
        files: "f",
        texts: "",
        valued: "uap",
        long_files: &["file", "javascript.execute"],
        long_texts: &["eval", "help", "version", "javascript.execute-string"],
        operands: Operands::Scripts,
    },
    Client {
        names: &[
            "sqlcmd",
            "osql",
            "isql",
            "tsql",
            "fisql",
            "go-sqlcmd",
            "mssql-cli",
        ],
        files: "i",
        texts: "Qq?",
        valued: "SUPdoshwcDH",
        long_files: &["input-file"],
        long_texts: ENDS,
        operands: Operands::Names,
    },
    Client {
        names: &["clickhouse*"],
        files: "",
        texts: "qV",
        valued: "hudf",
        long_files: &["queries-file"],
        long_texts: &["query", "help", "version"],
        operands: Operands::Names,
    },
    Client {
        names: &[
            "hive",
            "beeline",
            "impala-shell",
            "spark-sql",
            "trino*",
            "presto*",
            "cqlsh",
            "snowsql",
            "snow",
            "cockroach",
            "influx",
            "db2",
            "databricks",
            "spanner-cli",
            "surreal",
            "wrangler",
            "prisma",
        ],
        files: "fi",
        texts: "eqs",
        valued: "ukpndh",
        long_files: &["file", "filename", "stdin"],
        long_texts: &["execute", "command", "query", "help", "version"],
        operands: Operands::Names,
    },
    Client {
        names: &["sqlplus", "sqlcl", "rman"],
        files: "",
        texts: "V",
        valued: "",
        long_files: &["cmdfile"],
        long_texts: ENDS,
        operands: Operands::Scripts,
    },
    Client {
        names: &["bq"],
        files: "",
        texts: "",
        valued: "",
        long_files: &[],
        long_texts: ENDS,
        operands: Operands::NameThenCommands,
    },
];
