//! Chat and social networks.

use super::{Rule, token};
use crate::family::Family::Chat;

pub(crate) const TOKENS: &[Rule] = &[
    token(
        Chat,
        "Slack",
        &[
            "xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-",
        ],
        "[A-Za-z0-9%-]{10,}",
    )
    .free()
    .entropy(2.0),
    token(
        Chat,
        "Slack",
        &["xoxe.xoxb-", "xoxe.xoxp-"],
        "[A-Za-z0-9-]{20,}",
    )
    .free(),
    token(Chat, "Slack cookie", &["xoxd-"], "[A-Za-z0-9%/+=_-]{20,}").free(),
    token(
        Chat,
        "Slack app",
        &["xapp-"],
        "[0-9]{1,10}-[A-Za-z0-9]{2,}-[0-9]{6,}-[A-Za-z0-9]{10,}",
    )
    .free(),
    token(
        Chat,
        "Slack webhook",
        &[
            "hooks.slack.com/services/",
            "hooks.slack.com/workflows/",
            "hooks.slack.com/triggers/",
        ],
        "[A-Za-z0-9+/_-]{20,}",
    )
    .free()
    .kept(),
    token(
        Chat,
        "Discord webhook",
        &[
            "discord.com/api/webhooks/",
            "discordapp.com/api/webhooks/",
            "discord.com/api/v8/webhooks/",
            "discord.com/api/v9/webhooks/",
            "discord.com/api/v10/webhooks/",
        ],
        "[0-9]{15,22}/[A-Za-z0-9_-]{30,}",
    )
    .free()
    .kept(),
    token(Chat, "Telegram", &[":AA"], "[A-Za-z0-9_-]{32,34}")
        .head("[0-9]{8,10}")
        .free(),
    token(
        Chat,
        "Teams webhook",
        &[
            "webhook.office.com/webhookb2/",
            "outlook.office.com/webhook/",
            "outlook.office365.com/webhook/",
        ],
        "[A-Za-z0-9@/-]{40,}",
    )
    .free()
    .kept(),
    token(
        Chat,
        "Teams workflow",
        &["/triggers/manual/paths/invoke?"],
        "[A-Za-z0-9%&=._/-]{30,}",
    )
    .free()
    .kept(),
    token(
        Chat,
        "Google Chat webhook",
        &["chat.googleapis.com/v1/spaces/"],
        "[A-Za-z0-9_-]{4,40}/messages\\?[A-Za-z0-9%&=._-]{40,}",
    )
    .free()
    .kept(),
    token(Chat, "Matrix", &["syt_"], "[A-Za-z0-9+/=_-]{20,}").digit(),
    token(
        Chat,
        "Facebook",
        &["EAAC", "EAAM", "EAAB", "EAAG", "EAAJ", "EAAD"],
        "[A-Za-z0-9]{27,}",
    )
    .entropy(3.5)
    .digit(),
    token(Chat, "Instagram", &["IGQV"], "[A-Za-z0-9_-]{60,}").digit(),
    token(
        Chat,
        "Zoom webhook",
        &["inbots.zoom.us/incoming/hook/"],
        "[A-Za-z0-9_-]{12,}",
    )
    .free()
    .kept(),
];
