//! Telephony and mail.

use super::{Rule, token};
use crate::family::Family::Telephony;

pub(crate) const TOKENS: &[Rule] = &[
    token(Telephony, "Twilio", &["SK"], "[0-9a-fA-F]{32}")
        .entropy(3.0)
        .digit(),
    token(Telephony, "Twilio", &["SK", "AC"], "[a-z0-9]{32}")
        .entropy(3.0)
        .digit(),
    token(
        Telephony,
        "SendGrid",
        &["SG."],
        "[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,64}",
    )
    .entropy(3.0),
    token(Telephony, "SendGrid", &["SG."], "[A-Za-z0-9_=.-]{66}").entropy(3.5),
    token(Telephony, "Mailgun", &["key-"], "[0-9a-zA-Z]{32}")
        .entropy(3.0)
        .digit(),
    token(Telephony, "Mailgun", &["pubkey-"], "[0-9a-f]{32}")
        .entropy(3.0)
        .digit(),
    token(Telephony, "Mailchimp", &["-us"], "[0-9]{1,2}")
        .head("[0-9a-z]{32}")
        .entropy(3.0)
        .digit(),
    token(Telephony, "Mandrill", &["md-"], "[A-Za-z0-9_-]{22}")
        .entropy(3.5)
        .digit(),
    token(
        Telephony,
        "Brevo",
        &["xkeysib-", "xsmtpsib-"],
        "[a-fA-F0-9]{40,}-?[A-Za-z0-9]{0,16}",
    ),
    token(
        Telephony,
        "Resend",
        &["re_"],
        "[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}",
    )
    .digit(),
    token(Telephony, "MailerSend", &["mlsn."], "[A-Za-z0-9]{30,}").digit(),
    token(
        Telephony,
        "OneSignal",
        &["os_v2_app_", "os_v2_org_"],
        "[a-z0-9]{60,}",
    ),
    token(
        Telephony,
        "Telnyx",
        &["KEY0"],
        "[0-9A-F]{31}_[A-Za-z0-9]{20,}",
    ),
    token(Telephony, "Klaviyo", &["pk_"], "[a-f0-9]{34}").entropy(3.0),
];
