use super::*;

#[test]
fn fa_02_a_bound_says_as_much_as_it_says() {
    for (version, bound, expected) in [
        ("0.61.3", "0.61", Ordering::Equal),
        ("0.61.3", "0.61.3", Ordering::Equal),
        ("0.61.3", "0.61.4", Ordering::Less),
        ("0.9.0", "0.10", Ordering::Less),
        ("1.0.102", "1.0.99", Ordering::Greater),
        ("2", "2.0.1", Ordering::Less),
        ("2.6.0-rc1", "2.6", Ordering::Equal),
        ("nonsense", "1.0", Ordering::Less),
    ] {
        assert_eq!(compare(version, bound), expected, "{version} {bound}");
    }
}

#[test]
fn fa_02_a_complaint_is_told_within_bounds() {
    assert_eq!(last_line(b""), "");
    assert_eq!(last_line(b"one\n\n"), ": one");
    let framed =
        "\u{250c}\u{2500}\u{2510}\n\u{2502} no such option \u{2502}\n\u{2514}\u{2500}\u{2518}\n";
    assert_eq!(
        last_line(framed.as_bytes()),
        ": \u{2502} no such option \u{2502}"
    );
    let long = "\u{e9}".repeat(500);
    let told = last_line(format!("first\n{long}\n").as_bytes());
    assert!(
        told.len() <= COMPLAINT + 2 && told.ends_with('\u{e9}'),
        "{told}"
    );
}
