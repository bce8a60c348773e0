//! The programs that only read, each with the flags that are known to be safe. Sources: their manuals (GNU coreutils,
//! grep, findutils, diffutils, file; ripgrep, fd, jq, tree), read for flags that write, execute, follow links out of the
//! tree or take names of files from a file. What is not here asks.

use crate::context::Whole;

/// What a program's operands are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    /// Files and folders that it reads, at most so many.
    Paths(usize),
    /// Text.
    Text,
    /// A pattern or a program in a language of its own, then files; no pattern where one of the flags gave one.
    PatternThenPaths(&'static str),
    /// None.
    Nothing,
}

/// One program.
#[derive(Debug, Clone, Copy)]
pub struct Reads {
    /// Its name.
    pub name: &'static str,
    /// Short flags without a value.
    pub flags: &'static str,
    /// Short flags with a value that is no path.
    pub valued: &'static str,
    /// Long flags: `name`, `name=` with a value that is no path, `name=?` where the value may be left out.
    pub long: &'static str,
    /// What the operands are.
    pub operands: Operands,
    /// It takes `-5`.
    pub digits: bool,
    /// The flags with which it reads folders whole, none: always; and what of them.
    pub whole: Option<(&'static str, Whole)>,
}

const ANY: usize = usize::MAX;
const NO: Reads = Reads {
    name: "",
    flags: "",
    valued: "",
    long: "",
    operands: Operands::Paths(ANY),
    digits: false,
    whole: None,
};
const SUMS: Reads = Reads {
    flags: "bt",
    long: "binary text tag",
    ..NO
};
const GREP: Reads = Reads {
    flags: "EFGPivwxcLloqshHnTZaIUzrbV",
    valued: "eABCm",
    long: "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match \
           word-regexp line-regexp count color=? colour=? files-without-match files-with-matches only-matching quiet \
           silent no-messages byte-offset with-filename no-filename initial-tab line-number null text line-buffered \
           null-data recursive regexp= max-count= after-context= before-context= context= label= include= exclude= \
           exclude-dir= binary-files= help version",
    operands: Operands::PatternThenPaths("e regexp"),
    digits: true,
    whole: Some(("r recursive", Whole::All)),
    ..NO
};

/// The list.
pub const TABLE: &[Reads] = &[
    Reads {
        name: "ls",
        flags: "aAbBcCdfFgGhHiklLmnopqrRsStuUxX1v",
        long: "all almost-all author escape directory classify=? color=? file-type full-time group-directories-first \
               no-group human-readable si dereference inode kibibytes numeric-uid-gid literal hide-control-chars \
               quote-name reverse recursive size sort= time= time-style= width= format= ignore= hide= block-size= zero \
               help version",
        ..NO
    },
    Reads {
        name: "cat",
        flags: "AbeEnstTuv",
        long: "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting help version",
        ..NO
    },
    Reads {
        name: "head",
        flags: "qvz",
        valued: "nc",
        long: "lines= bytes= quiet silent verbose zero-terminated help version",
        digits: true,
        ..NO
    },
    Reads {
        name: "tail",
        flags: "qvz",
        valued: "nc",
        long: "lines= bytes= quiet silent verbose zero-terminated help version",
        digits: true,
        ..NO
    },
    Reads {
        name: "wc",
        flags: "clmLw",
        long: "bytes chars lines words max-line-length help version",
        ..NO
    },
    Reads {
        name: "grep",
        ..GREP
    },
    Reads {
        name: "egrep",
        ..GREP
    },
    Reads {
        name: "fgrep",
        ..GREP
    },
    Reads {
        name: "rg",
        flags: "iSswxvcloqnNHIpUPFab0V",
        valued: "gtTeABCmjMrdE",
        long: "ignore-case case-sensitive smart-case word-regexp line-regexp invert-match count count-matches \
               files-with-matches files-without-match only-matching quiet line-number no-line-number column no-column \
               with-filename no-filename heading no-heading pretty multiline multiline-dotall pcre2 fixed-strings text \
               null null-data trim no-messages stats json vimgrep files type-list no-config crlf passthru byte-offset \
               include-zero one-file-system regexp= glob= iglob= type= type-not= after-context= before-context= \
               context= max-count= max-columns= max-depth= max-filesize= threads= replace= sort= sortr= color= colors= \
               encoding= engine= context-separator= help version",
        operands: Operands::PatternThenPaths("e regexp files type-list"),
        whole: Some(("", Whole::Visible)),
        ..NO
    },
    Reads {
        name: "fd",
        flags: "isgFapIHu01q",
        valued: "etEd",
        long: "hidden no-ignore case-sensitive ignore-case glob fixed-strings absolute-path full-path print0 quiet \
               extension= type= exclude= max-depth= min-depth= color= help version",
        operands: Operands::PatternThenPaths(""),
        ..NO
    },
    Reads {
        name: "stat",
        flags: "LftZ",
        valued: "c",
        long: "dereference file-system terse format= printf= help version",
        ..NO
    },
    Reads {
        name: "file",
        flags: "bikLhN0nr",
        long: "brief mime mime-type mime-encoding keep-going dereference no-dereference raw no-pad print0 extension \
               help version",
        ..NO
    },
    Reads {
        name: "diff",
        flags: "abBcdeEinNpqrstTuwyZ",
        valued: "CUWIxF",
        long: "unified=? context=? brief recursive ignore-case ignore-all-space ignore-space-change ignore-blank-lines \
               ignore-trailing-space minimal new-file report-identical-files side-by-side text color=? \
               suppress-common-lines strip-trailing-cr no-dereference speed-large-files width= label= exclude= \
               ignore-matching-lines= help version",
        digits: true,
        whole: Some(("", Whole::Followed)),
        ..NO
    },
    Reads {
        name: "cmp",
        flags: "bls",
        valued: "in",
        long: "print-bytes silent quiet verbose bytes= ignore-initial= help version",
        ..NO
    },
    Reads {
        name: "comm",
        flags: "123z",
        long: "check-order nocheck-order output-delimiter= total zero-terminated help version",
        ..NO
    },
    Reads {
        name: "sort",
        flags: "bdfghiMnRrVcCmsuz",
        valued: "kt",
        long: "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort \
               human-numeric-sort numeric-sort random-sort reverse version-sort check=? merge stable unique \
               zero-terminated key= field-separator= sort= help version",
        ..NO
    },
    Reads {
        name: "uniq",
        flags: "cdDiuz",
        valued: "fsw",
        long: "count repeated all-repeated=? ignore-case unique zero-terminated skip-fields= skip-chars= check-chars= \
               help version",
        // The second one is written to.
        operands: Operands::Paths(1),
        ..NO
    },
    Reads {
        name: "cut",
        flags: "nsz",
        valued: "bcdf",
        long: "complement only-delimited zero-terminated bytes= characters= delimiter= fields= output-delimiter= help \
               version",
        ..NO
    },
    Reads {
        name: "tr",
        flags: "cCdst",
        long: "complement delete squeeze-repeats truncate-set1 help version",
        operands: Operands::Text,
        ..NO
    },
    Reads {
        name: "nl",
        flags: "p",
        valued: "bdfhilnsvw",
        long: "body-numbering= number-format= number-width= number-separator= help version",
        ..NO
    },
    Reads {
        name: "tac",
        flags: "br",
        valued: "s",
        ..NO
    },
    Reads { name: "rev", ..NO },
    Reads {
        name: "fold",
        flags: "bs",
        valued: "w",
        long: "width= spaces bytes",
        ..NO
    },
    Reads {
        name: "expand",
        flags: "i",
        valued: "t",
        ..NO
    },
    Reads {
        name: "paste",
        flags: "sz",
        valued: "d",
        long: "serial delimiters=",
        ..NO
    },
    Reads {
        name: "column",
        flags: "tex",
        valued: "sco",
        ..NO
    },
    Reads {
        name: "od",
        flags: "bcdovx",
        valued: "AjNt",
        ..NO
    },
    Reads {
        name: "md5sum",
        ..SUMS
    },
    Reads {
        name: "sha1sum",
        ..SUMS
    },
    Reads {
        name: "sha256sum",
        ..SUMS
    },
    Reads {
        name: "sha512sum",
        ..SUMS
    },
    Reads {
        name: "cksum",
        ..NO
    },
    Reads {
        name: "basename",
        flags: "az",
        valued: "s",
        long: "multiple suffix= zero",
        operands: Operands::Text,
        ..NO
    },
    Reads {
        name: "dirname",
        flags: "z",
        long: "zero",
        operands: Operands::Text,
        ..NO
    },
    Reads {
        name: "realpath",
        flags: "eLmPqsz",
        long: "canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero",
        ..NO
    },
    Reads {
        name: "readlink",
        flags: "femnqsvz",
        long: "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero",
        ..NO
    },
    Reads {
        name: "du",
        flags: "abcDhHklmPsSx0",
        valued: "Bdt",
        long: "all apparent-size bytes total human-readable si summarize separate-dirs one-file-system null \
               max-depth= block-size= threshold= exclude= time=? time-style= help version",
        ..NO
    },
    Reads {
        name: "df",
        flags: "ahHiklPT",
        valued: "Bxt",
        long: "all human-readable si inodes local portability print-type total type= exclude-type= block-size= \
               output=? help version",
        ..NO
    },
    Reads {
        name: "tree",
        flags: "adfinpughDFrtcsUNQ",
        valued: "LPI",
        long: "dirsfirst noreport gitignore prune du si charset= filelimit= filesfirst sort= help version",
        ..NO
    },
    Reads {
        name: "pwd",
        flags: "LP",
        operands: Operands::Nothing,
        ..NO
    },
    Reads {
        name: "true",
        operands: Operands::Text,
        ..NO
    },
    Reads {
        name: "false",
        operands: Operands::Text,
        ..NO
    },
    Reads {
        name: ":",
        operands: Operands::Text,
        ..NO
    },
    Reads {
        name: "which",
        flags: "as",
        operands: Operands::Text,
        ..NO
    },
    Reads {
        name: "type",
        flags: "aftpP",
        operands: Operands::Text,
        ..NO
    },
    Reads {
        name: "id",
        flags: "ugGnrz",
        long: "user group groups name real zero",
        operands: Operands::Text,
        ..NO
    },
    Reads {
        name: "groups",
        operands: Operands::Text,
        ..NO
    },
    Reads {
        name: "whoami",
        operands: Operands::Nothing,
        ..NO
    },
    Reads {
        name: "logname",
        operands: Operands::Nothing,
        ..NO
    },
    Reads {
        name: "tty",
        flags: "s",
        operands: Operands::Nothing,
        ..NO
    },
    Reads {
        name: "arch",
        operands: Operands::Nothing,
        ..NO
    },
    Reads {
        name: "uname",
        flags: "asnrvmpio",
        long: "all kernel-name nodename kernel-release kernel-version machine processor operating-system",
        operands: Operands::Nothing,
        ..NO
    },
    // An operand would set it.
    Reads {
        name: "hostname",
        operands: Operands::Nothing,
        ..NO
    },
    Reads {
        name: "uptime",
        flags: "ps",
        long: "pretty since",
        operands: Operands::Nothing,
        ..NO
    },
    Reads {
        name: "nproc",
        long: "all ignore=",
        operands: Operands::Nothing,
        ..NO
    },
    Reads {
        name: "free",
        flags: "bkmghtwl",
        long: "human total wide mebi gibi",
        operands: Operands::Nothing,
        ..NO
    },
    Reads {
        name: "seq",
        flags: "w",
        valued: "fs",
        digits: true,
        operands: Operands::Text,
        ..NO
    },
    Reads {
        name: "sleep",
        operands: Operands::Text,
        ..NO
    },
    Reads {
        name: "jq",
        flags: "cnrRsSeajCM",
        long: "compact-output null-input raw-output raw-input slurp sort-keys exit-status ascii-output join-output \
               color-output monochrome-output tab help version",
        operands: Operands::PatternThenPaths(""),
        ..NO
    },
];
