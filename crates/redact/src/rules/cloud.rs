//! Cloud providers and hosting.

use super::{Rule, token};
use crate::family::Family::Cloud;

pub(crate) const TOKENS: &[Rule] = &[
    // The secret behind its id, as a table exports them.
    token(
        Cloud,
        "AWS access key",
        &["AKIA", "ASIA"],
        "[A-Z0-9]{16}[,;:| \"']{1,5}[A-Za-z0-9/+]{40}",
    ),
    token(
        Cloud,
        "AWS access key id",
        &["AKIA", "ASIA"],
        "[A-Z0-9]{16,17}",
    ),
    token(
        Cloud,
        "AWS id",
        &[
            "ABIA", "ACCA", "AGPA", "AIDA", "AIPA", "ANPA", "ANVA", "APKA", "AROA", "ASCA",
        ],
        "[A-Z0-9]{16,17}",
    )
    .entropy(3.0)
    .digit(),
    token(Cloud, "AWS old id", &["A3T"], "[A-Z0-9]{17}").entropy(3.0),
    token(Cloud, "AWS marketplace", &["amzn.mws."], "[0-9a-f-]{36}"),
    token(
        Cloud,
        "AWS session",
        &["IQoJb3JpZ2lu", "FwoGZXIvYXdz", "FQoGZXIvYXdz", "AQoDYXdz"],
        "[A-Za-z0-9+/=%]{40,}",
    ),
    token(Cloud, "AWS Bedrock", &["ABSK"], "[A-Za-z0-9+/]{60,}={0,2}")
        .entropy(3.5)
        .digit(),
    token(
        Cloud,
        "AWS Bedrock",
        &["bedrock-api-key-"],
        "[A-Za-z0-9+/_-]{30,}={0,2}",
    ),
    token(
        Cloud,
        "AWS signature",
        &["X-Amz-Signature=", "Signature="],
        "[0-9a-f]{64}",
    )
    .kept(),
    token(
        Cloud,
        "AWS session",
        &["X-Amz-Security-Token="],
        "[A-Za-z0-9%+/=_-]{40,}",
    )
    .kept(),
    token(Cloud, "Google API", &["AIza"], "[A-Za-z0-9_-]{30,45}").entropy(3.0),
    token(Cloud, "Google API", &["AQ.Ab8RN6"], "[A-Za-z0-9_-]{40,}"),
    token(Cloud, "Google OAuth", &["ya29."], "[A-Za-z0-9_.-]{20,}"),
    token(
        Cloud,
        "Google OAuth secret",
        &["GOCSPX-"],
        "[A-Za-z0-9_-]{20,}",
    ),
    token(Cloud, "Google refresh", &["1//0"], "[A-Za-z0-9_-]{35,}")
        .entropy(3.5)
        .digit(),
    token(Cloud, "Google HMAC", &["GOOG1"], "[A-Z0-9]{19,60}").entropy(3.0),
    token(
        Cloud,
        "Azure client secret",
        &["Q~"],
        "[A-Za-z0-9_~.-]{31,34}",
    )
    .head("[A-Za-z0-9_~.-]{3}[0-9]")
    .entropy(3.0),
    token(Cloud, "Azure AI key", &["JQQJ99"], "[A-Za-z0-9]{20,40}").head("[A-Za-z0-9]{40,70}"),
    token(
        Cloud,
        "Azure identifiable key",
        &[
            "+ASt", "+ABa", "+AMC", "+ASb", "+AEh", "+ARm", "+ACR", "AIoT", "AzCa", "ACDb", "AzSe",
            "AzFu", "AZDO", "APIM", "AzEG", "AACK",
        ],
        "[A-Za-z0-9+/_-]{4,10}={0,2}",
    )
    .head("[A-Za-z0-9+/_-]{33,90}")
    .entropy(3.5)
    .digit(),
    token(
        Cloud,
        "Azure shared access",
        &["sig="],
        "[A-Za-z0-9%+/_-]{40,110}={0,2}",
    )
    .kept()
    .digit(),
    token(
        Cloud,
        "Azure account key",
        &["AccountKey=", "SharedAccessKey=", "SharedSecret="],
        "[A-Za-z0-9+/]{40,}={0,2}",
    )
    .kept()
    .free(),
    token(
        Cloud,
        "DigitalOcean",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        "[A-Fa-f0-9]{40,}",
    )
    .free(),
    token(Cloud, "Alibaba", &["LTAI"], "[A-Za-z0-9]{12,24}").entropy(3.0),
    token(Cloud, "Alibaba", &["STS.N", "STS.L"], "[A-Za-z0-9]{15,63}")
        .entropy(3.5)
        .digit(),
    token(Cloud, "Tencent", &["AKID"], "[A-Za-z0-9]{13,48}")
        .entropy(3.0)
        .digit(),
    token(Cloud, "Yandex", &["AQVN"], "[A-Za-z0-9_-]{35,38}").entropy(3.0),
    token(
        Cloud,
        "Yandex",
        &["YCA", "YCM", "YCN", "YCO", "YCP"],
        "[A-Za-z0-9_-]{37}",
    )
    .entropy(3.5)
    .digit(),
    token(
        Cloud,
        "Yandex",
        &["t1."],
        "[A-Za-z0-9_-]{20,}={0,2}\\.[A-Za-z0-9_-]{86}={0,2}",
    ),
    token(Cloud, "Scaleway", &["SCW"], "[A-Z0-9]{17}")
        .entropy(2.5)
        .digit(),
    token(Cloud, "Fly", &["fo1_"], "[A-Za-z0-9_-]{43}").entropy(3.0),
    token(
        Cloud,
        "Fly",
        &["fm1a_", "fm1r_", "fm2_"],
        "[A-Za-z0-9+/_-]{60,}={0,3}",
    )
    .entropy(3.0),
    token(Cloud, "Fly", &["FlyV1 "], "[A-Za-z0-9+/=_,-]{60,}").entropy(3.0),
    token(Cloud, "Exoscale", &["EXO"], "[A-Za-z0-9]{24,30}")
        .entropy(3.5)
        .digit(),
    token(Cloud, "UpCloud", &["ucat_"], "[A-Za-z0-9]{24,32}").entropy(3.0),
    token(
        Cloud,
        "CockroachDB",
        &["CCDB1_"],
        "[A-Za-z0-9]{22}_[A-Za-z0-9]{40}",
    ),
    token(
        Cloud,
        "Docker Swarm",
        &["SWMTKN-1-"],
        "[a-z0-9]{40,60}-[a-z0-9]{20,30}",
    ),
    token(
        Cloud,
        "Docker Swarm",
        &["SWMKEY-1-"],
        "[A-Za-z0-9+/]{40,50}",
    ),
    token(Cloud, "Heroku", &["HRKU-"], "[A-Za-z0-9_-]{36,}").entropy(3.0),
    token(
        Cloud,
        "Netlify",
        &["nfp_", "nfc_", "nfo_", "nfu_", "nfb_"],
        "[A-Za-z0-9_]{36,}",
    ),
    token(
        Cloud,
        "Vercel",
        &["vcp_", "vci_", "vca_", "vcr_", "vck_"],
        "[A-Za-z0-9_-]{24,}",
    )
    .entropy(3.0)
    .digit(),
    token(Cloud, "Render", &["rnd_"], "[A-Za-z0-9]{20,}")
        .entropy(3.0)
        .digit(),
    token(Cloud, "Supabase", &["sbp_"], "[A-Za-z0-9_-]{40,44}")
        .entropy(3.0)
        .digit(),
    token(Cloud, "Supabase", &["sb_secret_"], "[A-Za-z0-9_-]{20,}").digit(),
    token(Cloud, "Neon", &["napi_"], "[A-Za-z0-9]{40,}").entropy(3.0),
    token(
        Cloud,
        "PlanetScale",
        &["pscale_tkn_", "pscale_oauth_", "pscale_pw_"],
        "[A-Za-z0-9_=.-]{32,}",
    )
    .free(),
    token(Cloud, "Scalingo", &["tk-us-"], "[A-Za-z0-9_-]{40,}").entropy(3.0),
    token(
        Cloud,
        "Cloudflare origin",
        &["v1.0-"],
        "[a-f0-9]{24}-[a-f0-9]{100,}",
    ),
    token(
        Cloud,
        "Cloudflare",
        &["cfut_", "cfat_", "cfk_"],
        "[A-Za-z0-9_-]{36,}",
    )
    .digit(),
    token(Cloud, "Databricks", &["dapi"], "[a-h0-9]{32}").entropy(3.0),
    token(
        Cloud,
        "Databricks",
        &["dkea", "dsapi", "dose"],
        "[a-h0-9]{32}",
    )
    .entropy(3.0),
    token(Cloud, "OpenShift", &["sha256~"], "[A-Za-z0-9_-]{43}").entropy(3.0),
    token(Cloud, "ClickHouse", &["4b1d"], "[A-Za-z0-9]{38}").entropy(3.0),
    token(Cloud, "Aiven", &["AVNS_"], "[A-Za-z0-9_-]{15,}").digit(),
    token(Cloud, "MongoDB", &["mdb_sa_sk_"], "[A-Za-z0-9_-]{30,}"),
    token(
        Cloud,
        "CAST AI",
        &["castai_v1_"],
        "[A-Za-z0-9]{64}_[a-f0-9]{8}",
    ),
    token(Cloud, "Akamai", &["akab-"], "[a-z0-9-]{30,}").digit(),
    token(
        Cloud,
        "Tailscale",
        &["tskey-"],
        "[a-z]{3,12}-[A-Za-z0-9_-]{20,}",
    ),
    token(Cloud, "Oracle", &["ocid1.credential.oc"], "[a-z0-9.-]{30,}"),
];
