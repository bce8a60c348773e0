//! The table of what destroys elsewhere: data, packages, infrastructure (POL-06). Sources: the manuals of the programs named.

use super::destructive_table::Need::{Flag, Holds, Is, Starts, Sub};
use super::destructive_table::Row;

const KUBERNETES: &[&str] = &["kubectl", "oc", "k9s"];
const TERRAFORM: &[&str] = &["terraform", "tofu", "terragrunt"];
const DATABASES: &[&str] = &[
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "sqlite",
    "mongo",
    "mongosh",
    "cqlsh",
    "clickhouse-client",
    "clickhouse",
    "duckdb",
    "sqlcmd",
    "bq",
    "cockroach",
    "usql",
    "isql",
    "influx",
    "snowsql",
];

/// What destroys elsewhere.
pub const REMOTE: &[Row] = &[
    (
        &["dropdb", "dropuser", "pg_dropcluster"],
        &[],
        "a database dropped",
    ),
    (
        &["mysqladmin"],
        &[Is(&["drop", "shutdown"])],
        "a database dropped",
    ),
    (
        DATABASES,
        &[Holds(&[
            "drop ",
            "truncate ",
            "delete from",
            "dropdatabase",
            "drop(",
            "deletemany",
            "deleteone",
            "remove(",
        ])],
        "data dropped",
    ),
    (
        &["redis-cli", "valkey-cli"],
        &[Holds(&["flushall", "flushdb", "shutdown", "del"])],
        "data dropped",
    ),
    (
        &["rails", "rake", "bin/rails", "bundle"],
        &[Holds(&[
            "db:drop",
            "db:reset",
            "db:purge",
            "db:schema:load",
        ])],
        "a database dropped",
    ),
    (
        &["prisma", "npx", "pnpm", "yarn"],
        &[Holds(&["reset", "force-reset", "accept-data-loss"])],
        "a database reset",
    ),
    (
        &["python*", "django-admin", "manage.py"],
        &[Is(&["flush", "reset_db", "sqlflush"])],
        "a database emptied",
    ),
    (
        &["npm", "pnpm", "yarn", "bun"],
        &[Holds(&["unpublish", "deprecate"])],
        "a package taken back",
    ),
    (&["cargo"], &[Is(&["yank"])], "a package taken back"),
    (&["gem"], &[Is(&["yank"])], "a package taken back"),
    (
        &["dotnet", "nuget"],
        &[Is(&["delete"])],
        "a package taken back",
    ),
    (
        &["gh", "glab", "hub"],
        &[Is(&["delete", "archive"])],
        "something removed at the host",
    ),
    (
        &["gh", "glab"],
        &[Is(&["DELETE", "-XDELETE", "--method=DELETE"])],
        "something removed at the host",
    ),
    (
        &["curl", "http", "https", "xh", "wget"],
        &[Is(&[
            "DELETE",
            "-XDELETE",
            "--request=DELETE",
            "--method=DELETE",
        ])],
        "something removed over HTTP",
    ),
    (
        TERRAFORM,
        &[Is(&["destroy", "-destroy", "--destroy", "taint"])],
        "infrastructure destroyed",
    ),
    (
        TERRAFORM,
        &[Is(&["apply"]), Starts(&["-auto-approve", "--auto-approve"])],
        "infrastructure changed unseen",
    ),
    (
        TERRAFORM,
        &[Sub(&["state", "rm"])],
        "infrastructure forgotten",
    ),
    (
        TERRAFORM,
        &[Sub(&["workspace", "delete"])],
        "infrastructure forgotten",
    ),
    (
        &[
            "pulumi",
            "cdk",
            "sst",
            "serverless",
            "sls",
            "amplify",
            "copilot",
            "vagrant",
            "eksctl",
            "ansible-galaxy",
            "cdktf",
        ],
        &[Is(&["destroy", "remove", "down", "delete", "rm"])],
        "infrastructure destroyed",
    ),
    (
        KUBERNETES,
        &[Is(&["delete", "drain", "evict"])],
        "infrastructure destroyed",
    ),
    (
        KUBERNETES,
        &[Is(&["replace"]), Flag("", &["force"])],
        "infrastructure destroyed",
    ),
    (
        &["helm"],
        &[Is(&["uninstall", "delete", "rollback", "del", "un"])],
        "infrastructure destroyed",
    ),
    (
        &["aws"],
        &[Starts(&[
            "delete-",
            "terminate-",
            "deregister-",
            "purge-",
            "remove-",
            "release-",
        ])],
        "infrastructure destroyed",
    ),
    (
        &["aws"],
        &[Is(&["rb", "rm", "--delete"])],
        "infrastructure destroyed",
    ),
    (
        &[
            "gcloud",
            "az",
            "doctl",
            "linode-cli",
            "hcloud",
            "ibmcloud",
            "oci",
            "scw",
        ],
        &[Holds(&["delete", "destroy", "purge"])],
        "infrastructure destroyed",
    ),
    (
        &["gsutil"],
        &[Is(&["rm", "rb", "-d"])],
        "infrastructure destroyed",
    ),
    (
        &[
            "heroku", "fly", "flyctl", "railway", "vercel", "netlify", "wrangler", "firebase",
            "supabase",
        ],
        &[Holds(&["destroy", "delete", "remove", "reset"])],
        "infrastructure destroyed",
    ),
    (
        &["rclone", "rsync", "mc", "s3cmd"],
        &[Starts(&["--delete", "--del", "--remove-source-files"])],
        "removal at the target",
    ),
    (
        &["rclone"],
        &[Is(&["delete", "purge", "sync", "deletefile", "rmdirs"])],
        "removal at the target",
    ),
    (
        &["s3cmd", "mc"],
        &[Is(&["rm", "del", "rb"])],
        "removal at the target",
    ),
];
