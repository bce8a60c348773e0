//! Hashes of passwords in the forms of `crypt`, web frameworks, directories and databases: who has one can guess at it for as
//! long as it takes.
//!
//! A `$` is doubled in compose files and escaped in scripts, so that most of these take one more before or behind it.

use super::{Rule, token};
use crate::family::Family::PasswordHash;

pub(crate) const TOKENS: &[Rule] = &[
    token(
        PasswordHash,
        "bcrypt",
        &[
            "$2$", "$2a$", "$2b$", "$2x$", "$2y$", "$2a\\$", "$2b\\$", "$2y\\$",
        ],
        "\\$?[0-9]{2}[\\\\$]{1,2}[./A-Za-z0-9]{53}",
    ),
    token(
        PasswordHash,
        "crypt with MD5",
        &["$1$", "$apr1$", "$1\\$", "$apr1\\$"],
        "\\$?[./A-Za-z0-9]{1,8}[\\\\$]{1,2}[./A-Za-z0-9]{22}",
    )
    .entropy(3.0),
    token(
        PasswordHash,
        "crypt with SHA-256",
        &["$5$", "$5\\$"],
        "\\$?[./A-Za-z0-9]{1,16}[\\\\$]{1,2}[./A-Za-z0-9]{43}",
    ),
    token(
        PasswordHash,
        "crypt with SHA-512",
        &["$6$", "$6\\$"],
        "\\$?[./A-Za-z0-9]{1,16}[\\\\$]{1,2}[./A-Za-z0-9]{86}",
    ),
    token(
        PasswordHash,
        "crypt with SHA-2, rounds told",
        &["$5$rounds=", "$6$rounds="],
        "[0-9]{3,9}[\\\\$]{1,2}[./A-Za-z0-9]{1,16}[\\\\$]{1,2}[./A-Za-z0-9]{43,86}",
    ),
    token(
        PasswordHash,
        "yescrypt and scrypt of crypt",
        &["$y$", "$gy$", "$7$", "$y\\$"],
        "\\$?[./A-Za-z0-9]{2,14}[\\\\$]{1,2}[./A-Za-z0-9]{1,86}[\\\\$]{1,2}[./A-Za-z0-9]{43}",
    ),
    token(
        PasswordHash,
        "argon2, scrypt, pbkdf2 of PHC and passlib",
        &[
            "$argon2id$",
            "$argon2i$",
            "$argon2d$",
            "$scrypt$",
            "$pbkdf2$",
            "$pbkdf2-sha1$",
            "$pbkdf2-sha256$",
            "$pbkdf2-sha512$",
            "$bcrypt-sha256$",
        ],
        "[A-Za-z0-9+/=,.$-]{40,}",
    )
    .entropy(3.0)
    .digit()
    .free(),
    token(
        PasswordHash,
        "pbkdf2 of Django",
        &["pbkdf2_sha256$", "pbkdf2_sha1$", "pbkdf2_sha512$"],
        "[0-9]{3,8}\\$[A-Za-z0-9+/=_.-]{4,64}\\$[A-Za-z0-9+/]{20,}={0,2}",
    ),
    token(
        PasswordHash,
        "scrypt of Django",
        &["scrypt$"],
        "[0-9]{3,8}\\$[A-Za-z0-9+/=_.-]{4,64}\\$[0-9]{1,3}\\$[0-9]{1,3}\\$[A-Za-z0-9+/]{40,}={0,2}",
    ),
    token(
        PasswordHash,
        "pbkdf2 of Werkzeug",
        &["pbkdf2:sha256:", "pbkdf2:sha1:", "pbkdf2:sha512:"],
        "[0-9]{3,8}\\$[A-Za-z0-9]{4,64}\\$[0-9a-f]{40,128}",
    ),
    token(
        PasswordHash,
        "scrypt of Werkzeug",
        &["scrypt:"],
        "[0-9]{3,8}:[0-9]{1,3}:[0-9]{1,3}\\$[A-Za-z0-9]{4,64}\\$[0-9a-f]{64,128}",
    ),
    token(
        PasswordHash,
        "salted SHA of web frameworks",
        &["sha1$", "sha256$", "md5$"],
        "[A-Za-z0-9]{4,40}\\$[0-9a-f]{32,64}",
    ),
    token(PasswordHash, "phpass", &["$P$", "$H$"], "[./A-Za-z0-9]{31}")
        .entropy(3.5)
        .digit(),
    token(PasswordHash, "Drupal", &["$S$"], "[./A-Za-z0-9]{52}")
        .entropy(3.5)
        .digit(),
    token(
        PasswordHash,
        "Cisco",
        &["$8$", "$9$"],
        "[./A-Za-z0-9]{14}\\$[./A-Za-z0-9]{43}",
    ),
    token(
        PasswordHash,
        "Cisco, reversible",
        &["password 7 ", "secret 7 ", "key 7 "],
        "[0-9]{2}[0-9A-F]{6,60}",
    )
    .kept(),
    token(
        PasswordHash,
        "ASP.NET Identity",
        &["AQAAAAEAACcQAAAAE", "AQAAAAIAAYagAAAAE"],
        "[A-Za-z0-9+/]{60,}={0,2}",
    ),
    token(
        PasswordHash,
        "directories",
        &[
            "{SHA}",
            "{SSHA}",
            "{SHA256}",
            "{SSHA256}",
            "{SHA384}",
            "{SSHA384}",
            "{SHA512}",
            "{SSHA512}",
            "{MD5}",
            "{SMD5}",
            "{sha}",
            "{ssha}",
            "{ssha256}",
            "{ssha512}",
            "{md5}",
            "{smd5}",
        ],
        "[A-Za-z0-9+/]{22,}={0,2}",
    )
    .entropy(3.0)
    .free()
    .kept(),
    token(
        PasswordHash,
        "directories",
        &[
            "{PBKDF2}",
            "{PBKDF2-SHA1}",
            "{PBKDF2-SHA256}",
            "{PBKDF2-SHA512}",
        ],
        "[0-9]{3,8}\\$[A-Za-z0-9+/=.]{4,64}\\$[A-Za-z0-9+/=.]{20,}",
    )
    .free()
    .kept(),
    // The same in base64, as LDIF has them: `{SSHA}`, `{SHA}`, `{CRYPT}`, `{SSHA512}`, `{SSHA256}`, `{PBKDF2`.
    token(
        PasswordHash,
        "directories",
        &[
            "e1NTSEF9",
            "e1NIQX0",
            "e0NSWVBUf",
            "e1NTSEE1MTJ9",
            "e1NTSEEyNTZ9",
            "e1BCS0RGM",
        ],
        "[A-Za-z0-9+/]{24,}={0,2}",
    ),
    token(
        PasswordHash,
        "PostgreSQL",
        &["SCRAM-SHA-1$", "SCRAM-SHA-256$", "SCRAM-SHA-512$"],
        "[0-9]{3,7}:[A-Za-z0-9+/]{8,}={0,2}\\$[A-Za-z0-9+/]{20,}={0,2}:[A-Za-z0-9+/]{20,}={0,2}",
    )
    .kept(),
    token(
        PasswordHash,
        "PostgreSQL with MD5",
        &["'md5", "\"md5"],
        "[0-9a-f]{32}",
    )
    .free()
    .kept()
    .digit(),
    token(
        PasswordHash,
        "MySQL",
        &[
            "'*", "\"*", " *", "\t*", "\n*", ":*", "|*", ",*", "=*", "`*",
        ],
        "[0-9A-F]{40}",
    )
    .free()
    .kept()
    .entropy(2.8)
    .digit(),
    token(
        PasswordHash,
        "MySQL 8",
        &["$A$005$"],
        "[!-~]{20}[./A-Za-z0-9]{43}",
    ),
    token(PasswordHash, "SQL Server", &["0x0200"], "[0-9A-Fa-f]{136}"),
    token(
        PasswordHash,
        "SQL Server",
        &["0x0100"],
        "[0-9A-Fa-f]{48,88}",
    )
    .entropy(3.0),
    // A line of a dump of Windows' accounts.
    token(PasswordHash, "Windows", &[":::"], "").head("[0-9a-fA-F]{32}:[0-9a-fA-F]{32}"),
    token(
        PasswordHash,
        "GRUB",
        &["grub.pbkdf2.sha512."],
        "[0-9]{3,7}\\.[0-9A-Fa-f]{64,}\\.[0-9A-Fa-f]{64,}",
    )
    .kept(),
];
