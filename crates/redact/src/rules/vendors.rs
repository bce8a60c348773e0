//! Values that are secrets because a vendor's name stands before them: `heroku_api_key = 8-4-4-4-12`.

use super::{Vendor, vendor};
use crate::family::Family::{Chat, Cloud, GitHost, Model, Payment, Registry, Service, Telephony};

const UUID: &str = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";
const HEX_32: &str = "[0-9a-fA-F]{32}";
const HEX_40: &str = "[0-9a-fA-F]{40}";
const HEX_64: &str = "[0-9a-fA-F]{64}";
const WORD_20: &str = "[A-Za-z0-9]{20}";
const WORD_24: &str = "[A-Za-z0-9]{24}";
const WORD_30: &str = "[A-Za-z0-9]{30}";
const WORD_32: &str = "[A-Za-z0-9]{32}";
const WORD_64: &str = "[A-Za-z0-9]{64}";
const DASHED_32: &str = "[A-Za-z0-9=_-]{32}";
const DASHED_40: &str = "[A-Za-z0-9=_-]{40}";
const DASHED_64: &str = "[A-Za-z0-9=_-]{64}";

pub(crate) const VENDORS: &[Vendor] = &[
    vendor(Cloud, &["aws", "amazon"], &["[A-Za-z0-9/+]{40}"]),
    vendor(Cloud, &["alibaba", "aliyun"], &[WORD_30]),
    vendor(Cloud, &["cloudflare"], &[DASHED_40, "[a-f0-9]{37}"]),
    vendor(
        Cloud,
        &["confluent"],
        &["[A-Za-z0-9]{16}", WORD_64, "[A-Za-z0-9/+]{64}"],
    ),
    vendor(Cloud, &["datafactory", "azure"], &["[A-Za-z0-9+/]{86}=="]),
    vendor(Cloud, &["fastly"], &[DASHED_32]),
    vendor(Cloud, &["heroku"], &[UUID]),
    vendor(Cloud, &["hetzner"], &[WORD_64]),
    vendor(
        Cloud,
        &["ibm", "bluemix", "softlayer", "cloudant"],
        &["[A-Za-z0-9_-]{44}", HEX_64, "[a-z]{24}"],
    ),
    vendor(
        Cloud,
        &["linode", "vultr"],
        &[HEX_64, "[A-Z0-9]{36}", "[a-z0-9]{36}"],
    ),
    vendor(Cloud, &["netlify"], &["[A-Za-z0-9=_-]{40,46}"]),
    vendor(Cloud, &["railway", "scaleway"], &[UUID]),
    vendor(Cloud, &["vercel"], &[WORD_24]),
    vendor(Cloud, &["yandex"], &["[A-Za-z0-9_-]{38,42}"]),
    vendor(GitHost, &["bitbucket"], &[WORD_32, DASHED_64]),
    vendor(
        GitHost,
        &[
            "gitea",
            "forgejo",
            "codeberg",
            "gogs",
            "sourcegraph",
            "gitter",
        ],
        &[HEX_40, DASHED_40],
    ),
    vendor(GitHost, &["gitee"], &[HEX_32]),
    vendor(
        GitHost,
        &["azure_devops", "azuredevops", "vsts"],
        &["[a-z2-7]{52}"],
    ),
    vendor(
        Registry,
        &["jfrog", "artifactory", "bintray", "xray"],
        &["[A-Za-z0-9]{73}", WORD_64],
    ),
    vendor(
        Registry,
        &["anaconda", "nexus"],
        &["[A-Za-z]{2}-[0-9a-fA-F-]{36}"],
    ),
    vendor(Payment, &["binance", "bybit", "ftx"], &[WORD_64]),
    vendor(Payment, &["bittrex"], &[WORD_32]),
    vendor(Payment, &["coinbase"], &[DASHED_64]),
    vendor(Payment, &["finicity"], &[HEX_32, WORD_20]),
    vendor(Payment, &["finnhub"], &[WORD_20]),
    vendor(Payment, &["freshbooks"], &[WORD_64]),
    vendor(Payment, &["kraken"], &["[A-Za-z0-9/=_+-]{80,90}"]),
    vendor(Payment, &["kucoin"], &["[a-fA-F0-9]{24}", UUID]),
    vendor(Payment, &["paypal"], &["[A-Za-z0-9_-]{80}"]),
    vendor(Payment, &["plaid"], &[WORD_24, WORD_30]),
    vendor(Payment, &["squarespace"], &[UUID]),
    vendor(Payment, &["chargebee"], &["[A-Za-z0-9_]{32,48}"]),
    vendor(
        Payment,
        &["lob"],
        &["live_[a-f0-9]{35}", "test_[a-f0-9]{35}"],
    ),
    vendor(Chat, &["discord"], &[HEX_64, "[0-9]{17,19}", DASHED_32]),
    vendor(
        Chat,
        &["facebook"],
        &[HEX_32, "[0-9]{15,16}[|%][A-Za-z0-9_-]{27,40}"],
    ),
    vendor(
        Chat,
        &["linkedin", "linked_in", "linked-in"],
        &["[A-Za-z0-9]{14}", "[A-Za-z0-9]{16}"],
    ),
    vendor(Chat, &["mattermost"], &["[a-z0-9]{26}"]),
    vendor(Chat, &["sendbird"], &[UUID, HEX_40]),
    vendor(Chat, &["telegr"], &["[0-9]{5,16}:A[A-Za-z0-9_-]{34}"]),
    vendor(Chat, &["twitch"], &[WORD_30]),
    vendor(
        Chat,
        &["twitter"],
        &[
            "A{22}[A-Za-z0-9%]{80,100}",
            "[A-Za-z0-9]{25}",
            "[A-Za-z0-9]{45}",
            "[A-Za-z0-9]{50}",
            "[0-9]{15,25}-[A-Za-z0-9]{20,40}",
        ],
    ),
    vendor(
        Model,
        &["assemblyai", "privateai", "private_ai", "private-ai"],
        &[WORD_32],
    ),
    vendor(Model, &["cohere", "co_api_key"], &["[A-Za-z0-9]{40}"]),
    vendor(Model, &["deepgram", "wandb"], &[HEX_40]),
    vendor(Model, &["mistral", "ai21"], &[WORD_32]),
    vendor(Model, &["together"], &[HEX_64]),
    vendor(Model, &["voyage"], &["al-[A-Za-z0-9_-]{43}"]),
    vendor(Model, &["ollama"], &["[a-f0-9]{32}\\.[A-Za-z0-9_-]{24}"]),
    vendor(Model, &["exa_api", "stability"], &[UUID]),
    vendor(
        Model,
        &["zhipu", "bigmodel", "zai_api"],
        &["[a-f0-9]{32}\\.[A-Za-z0-9]{16}"],
    ),
    vendor(Telephony, &["mailchimp"], &["[A-Za-z0-9]{32}-us[0-9]{1,2}"]),
    vendor(
        Telephony,
        &["mailgun"],
        &[
            "[a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}",
            "pubkey-[a-f0-9]{32}",
        ],
    ),
    vendor(
        Telephony,
        &["mailjet", "nexmo", "vonage", "twilio"],
        &[HEX_32, "[A-Za-z0-9]{16}"],
    ),
    vendor(
        Telephony,
        &["messagebird", "message_bird", "message-bird"],
        &["[A-Za-z0-9]{25}", UUID],
    ),
    vendor(Telephony, &["plivo"], &[DASHED_40]),
    vendor(Telephony, &["postmark"], &[UUID]),
    vendor(Telephony, &["pushover"], &[WORD_30]),
    vendor(Telephony, &["sparkpost"], &[HEX_40]),
    vendor(Service, &["adafruit"], &[DASHED_32]),
    vendor(Service, &["adobe"], &[HEX_32]),
    vendor(Service, &["airtable"], &["[A-Za-z0-9]{17}"]),
    vendor(
        Service,
        &["algolia", "droneci", "flickr", "codecov"],
        &[WORD_32, UUID],
    ),
    vendor(Service, &["asana"], &["[0-9]{16}", WORD_32]),
    vendor(
        Service,
        &["atlassian", "confluence", "jira"],
        &["[A-Za-z0-9]{20}[a-f0-9]{4}", WORD_24],
    ),
    vendor(Service, &["auth0"], &[DASHED_64, "[A-Za-z0-9_-]{60,68}"]),
    vendor(
        Service,
        &["bugsnag", "rollbar", "openweather", "honeybadger"],
        &[HEX_32],
    ),
    vendor(
        Service,
        &["circleci", "circle_token", "circle-token"],
        &[HEX_40],
    ),
    vendor(Service, &["codeclimate"], &[HEX_64]),
    vendor(
        Service,
        &["consul", "nomad", "loggly", "opsgenie", "hubspot", "snyk"],
        &[UUID],
    ),
    vendor(Service, &["contentful"], &["[A-Za-z0-9=_-]{43}"]),
    vendor(Service, &["contribsys"], &["[a-f0-9]{8}:[a-f0-9]{8}"]),
    vendor(
        Service,
        &["datadog", "dd_api", "dd_app"],
        &[WORD_32, "[A-Za-z0-9]{40}"],
    ),
    vendor(
        Service,
        &["dropbox"],
        &[
            "[A-Za-z0-9]{15}",
            "[A-Za-z0-9]{11}AAAAAAAAAA[A-Za-z0-9_=-]{43}",
        ],
    ),
    vendor(Service, &["etsy"], &[WORD_24]),
    vendor(Service, &["intercom"], &["[A-Za-z0-9=_-]{60}"]),
    vendor(Service, &["jenkins"], &["[0-9a-f]{32,34}"]),
    vendor(Service, &["launchdarkly"], &[DASHED_40]),
    vendor(Service, &["linear"], &[HEX_32]),
    vendor(Service, &["looker"], &[WORD_20, WORD_24]),
    vendor(Service, &["meraki"], &[HEX_40]),
    vendor(Service, &["new-relic", "newrelic", "new_relic"], &[WORD_64]),
    vendor(
        Service,
        &["ngrok"],
        &["[0-9A-Za-z]{20,30}_[0-9A-Za-z]{20,30}"],
    ),
    vendor(
        Service,
        &["nytimes", "new-york-times", "newyorktimes"],
        &[DASHED_32],
    ),
    vendor(Service, &["okta"], &["00[A-Za-z0-9_=-]{40}"]),
    vendor(Service, &["pagerduty"], &["[A-Za-z0-9_+-]{20}"]),
    vendor(Service, &["rapidapi"], &["[A-Za-z0-9_-]{50}"]),
    vendor(Service, &["sentry"], &[HEX_64]),
    vendor(Service, &["sonar"], &[DASHED_40, "[A-Za-z0-9=_-]{44}"]),
    vendor(Service, &["sumo"], &["su[A-Za-z0-9]{12}", WORD_64]),
    vendor(Service, &["travis"], &["[A-Za-z0-9_-]{22}"]),
    vendor(Service, &["zendesk"], &["[A-Za-z0-9]{40}"]),
    vendor(
        Service,
        &["zoho", "salesforce"],
        &[
            "[A-Za-z0-9]{18}![A-Za-z0-9._]{60,110}",
            "1000\\.[a-z0-9]{30,32}\\.?[a-f0-9]{0,32}",
            "[a-f0-9]{42}",
        ],
    ),
    vendor(
        Service,
        &["amplitude", "honeycomb"],
        &[HEX_32, "[a-z0-9]{22}"],
    ),
    vendor(Service, &["bitly"], &[HEX_40]),
    vendor(
        Service,
        &["box_api", "box_client", "box_access", "box_dev"],
        &[WORD_32],
    ),
    vendor(
        Service,
        &["browserstack", "saucelabs", "sauce_access"],
        &[WORD_20, UUID],
    ),
    vendor(
        Service,
        &["cloudinary"],
        &["[A-Za-z0-9_-]{27}", WORD_32, "[0-9]{15}"],
    ),
    vendor(
        Service,
        &["couchbase", "capella"],
        &["[A-Za-z0-9+/]{60,120}={0,2}"],
    ),
    vendor(
        Service,
        &["data.gov", "data_gov", "datagov"],
        &["[A-Za-z0-9]{40}"],
    ),
    vendor(Service, &["ionic"], &["ion_[A-Za-z0-9]{42}"]),
    vendor(Service, &["disqus"], &[WORD_64]),
    vendor(
        Service,
        &["fullstory"],
        &["[a-z]{2}1\\.[A-Za-z0-9+/=]{20,}"],
    ),
    vendor(Service, &["gumroad"], &[HEX_64, "[A-Za-z0-9_-]{43}"]),
    vendor(Service, &["influx"], &["[A-Za-z0-9+/=_-]{86,}"]),
    vendor(
        Service,
        &["kagi"],
        &["[A-Za-z0-9_-]{11}\\.[A-Za-z0-9_-]{43}"],
    ),
    vendor(Service, &["wiz_client"], &["[A-Za-z0-9]{53,64}"]),
];
