use super::{query_terms, terms};

#[test]
fn rec_03_words_identifiers_and_paths() {
    let table: &[(&str, &[&str])] = &[
        ("The retries are failing", &["retri", "fail"]),
        (
            "max_retry_count",
            &["max_retry_count", "max", "retri", "count"],
        ),
        ("getUserName", &["getusernam", "get", "user", "name"]),
        ("HTTPRequest", &["httprequest", "http", "request"]),
        (
            "src/store.rs",
            &["src/store.rs", "store.rs", "src", "store", "rs"],
        ),
        ("Crème brûlée, Straße", &["creme", "brule", "strass"]),
        ("don't", &[]),
        ("数据库连接", &["数据", "据库", "库连", "连接"]),
        ("猫", &["猫"]),
        (
            "用PostgreSQL存",
            &["用", "postgresql", "postgr", "sql", "存"],
        ),
        ("がぎ", &["がぎ"]),
        ("ﾃﾞｰﾀ", &["デー", "ータ"]),
        ("설정을", &["설정", "정을"]),
        ("ещё Ёлка", &["еще", "елка"]),
        ("\" AND NEAR(x*) ^", &["near", "x"]),
        ("...", &[]),
    ];
    for (text, expected) in table {
        assert_eq!(&terms(text), expected, "{text}");
    }
}

#[test]
fn rec_03_a_question_counts_each_term_once_and_has_an_end() {
    assert_eq!(query_terms("port ports PORT"), ["port"]);
    let long: String = (0..1000).map(|number| format!("w{number} ")).collect();
    assert_eq!(query_terms(&long).len(), super::COUNTED_TERMS);
}
