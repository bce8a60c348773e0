use taffrail_domain::{MemoryType, Millis};

use super::{Columns, Packed, Ranking, Scorer, Sought, hash, idf, pack};

const DAY: i64 = 86_400_000;

#[test]
fn rec_02_the_factor_is_bounded_by_type() {
    let ranking = Ranking::default();
    let at = |kind, days: i64| ranking.factor(kind, Millis(0), Millis(days * DAY));
    assert_eq!(at(MemoryType::Decision, 9_000), 1.0);
    assert_eq!(at(MemoryType::Constraint, 9_000), 1.0);
    assert!((at(MemoryType::Lesson, 30) - 0.85).abs() < 1e-9);
    assert!((at(MemoryType::Lesson, 90_000) - 0.7).abs() < 1e-9);
    assert!((at(MemoryType::WorkLog, 60) - 0.25).abs() < 1e-9);
    assert!((at(MemoryType::OpenQuestion, 30) - 0.5).abs() < 1e-9);
    // A time to come is no age.
    assert_eq!(
        ranking.factor(MemoryType::WorkLog, Millis(i64::MAX), Millis(i64::MIN)),
        1.0
    );
}

#[test]
fn rec_02_idf_is_positive_on_a_handful_of_rows() {
    for rows in 1..=3 {
        for with_term in 0..=rows {
            assert!(idf(rows, with_term) > 0.0);
        }
    }
    assert!(idf(3, 1) > idf(3, 2));
}

#[test]
fn rec_04_a_document_packs_and_reads_back() {
    let context = ["far one".to_owned(), "near two".to_owned()];
    let document = pack("port port", "the port is 5432", &context, &[]);
    let packed = Packed(&document.packed);
    assert_eq!(packed.lengths(), document.lengths);
    assert_eq!(packed.terms().count(), document.terms.len());
    let port = packed.terms().find(|(found, _)| *found == hash("port"));
    let expected = Columns {
        summary: 2,
        content: 1,
        near: 0,
        far: 0,
    };
    assert_eq!(port.unwrap().1, expected);
    let near = packed.terms().find(|(found, _)| *found == hash("near"));
    assert_eq!(near.unwrap().1.near, 1);
    assert_eq!(Packed(&[1, 2, 3]).terms().count(), 0);
}

#[test]
fn rec_02_relevance_never_passes_the_sum_of_the_idfs() {
    let document = pack("port", &"port ".repeat(100), &[], &[]);
    let sought = vec![Sought {
        hash: hash("port"),
        idf: 2.0,
    }];
    let average = Columns {
        summary: 1.0,
        content: 1.0,
        near: 0.0,
        far: 0.0,
    };
    let relevance =
        Scorer::new(&Ranking::default(), sought, average).relevance(Packed(&document.packed));
    assert!(relevance > 0.0 && relevance < 2.0);
}
