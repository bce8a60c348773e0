//! The rules as data: groups of words in their order. `a|b > c` is a or b, then c; `word*` may go on; the gap is in bytes,
//! so that scripts with more bytes a letter have larger ones.

use crate::orders::Reason;

/// One rule.
#[derive(Debug)]
pub(crate) struct Rule {
    /// Why what matches reads as orders.
    pub reason: Reason,
    /// Bytes between one group and the next.
    pub gap: usize,
    /// The groups.
    pub words: &'static str,
}

/// Every rule of every language.
pub(crate) fn all() -> impl Iterator<Item = &'static Rule> {
    [
        ENGLISH, GERMAN, FRENCH, SPANISH, RUSSIAN, CHINESE, JAPANESE, OTHERS,
    ]
    .into_iter()
    .flatten()
}

const fn rule(reason: Reason, gap: usize, words: &'static str) -> Rule {
    Rule { reason, gap, words }
}

use Reason::{Address, Authority, Exfiltration, Override, Secrecy};

#[rustfmt::skip]
const ENGLISH: &[Rule] = &[
    rule(Override, 24, "ignor*|disregard*|forget|override|overrule|discard|neglect|do not follow|don't follow|stop following|do not obey|pay no attention to|set aside|dismiss > previous*|prior|above|earlier|preceding|foregoing|your|system|developer|other|existing|original|initial|former > instruction*|prompt*|rule|rules|guideline*|directive*|direction*|order|orders|command*|guardrail*|restriction*|polic*|context|message*|programming|training"),
    rule(Override, 8, "ignore|disregard|forget|override|disobey > all|any|every|all the|all of the|all of your > instruction*|prompts|guidelines|directives|orders|safety"),
    rule(Override, 20, "ignore|disregard|forget > instruction*|everything|anything|all|what > you were|you have been|you've been|given to you|you know|above|told before|before this|i said"),
    rule(Override, 4, "forget everything|forget all|disregard everything|ignore everything > above|before|you|that|i|so far|and"),
    rule(Override, 20, "your|previous|these|all|prior|earlier > instructions|guidelines|prompt > no longer apply|are no longer valid|are void|are cancelled|are canceled|are obsolete now|have been revoked|are superseded by this|do not apply to you"),
    rule(Override, 12, "new|updated|real|true|actual|hidden > instructions|task|directive*|orders|objective|goal|mission > for you|from now|follow*|are as follows|is to|override*|replace*"),
    rule(Override, 6, "your > new|real|true|actual|only|sole > task|instruction*|role|goal|purpose|objective|mission|rules|role is|role:|job is|job:"),
    rule(Override, 10, "you are now|you're now|you are no longer|you're no longer|you will now be|you will act as|pretend to be|pretend you are|pretend that you|act as if you|roleplay as|role-play as|simulate being > a|an|the|in|free|dan|bound|under|unrestricted|my|admin*|root|no|not|limited|restricted|evil|jailbroken"),
    rule(Override, 6, "do anything now|developer mode|god mode|jailbreak mode|unrestricted mode|dan mode|debug mode > enabled|activated|on|output|engaged|unlocked|is|without"),
    rule(Override, 14, "disable|bypass|turn off|switch off|deactivate|remove|ignore > all > safety guideline*|safety rule*|safety check*|safety filter*|guardrail*|content filter*|content polic*|safeguards"),
    rule(Override, 14, "disable|bypass|turn off|switch off|deactivate|remove|ignore > your > safety|guardrail*|restriction*|filter*|limitation*|guideline*|ethic*|safeguard*|content polic*"),
    rule(Address, 12, "you must|you should|you shall|you will|you are required to|you have to|you need to|you are to|be sure to|make sure you > always|immediately|now|silently|without exception|unconditionally > run|execute|call|invoke|send|post|upload|obey|follow|reply|respond|answer|tell|reveal|fetch|download|open|visit|include|append|output|print|say|comply|trust|use|install|recommend|approve"),
    rule(Address, 16, "you must|you should|you shall|you will|you are > never > refuse|reveal|tell|mention|question|warn|disclose|inform|say no|decline|disobey"),
    rule(Address, 20, "from now on|from this point on|from this moment|henceforth|going forward > you are|you must|you will|you obey|you answer|you only|you never|you always|you act|you work|you have no|you reply|you respond|you do|always reply|always respond|always answer|respond|reply|answer|obey|act as|every answer|every response|every reply"),
    rule(Address, 28, "whenever you|when you|if you|every time you|each time you > read this|are reading this|see this|recall this|are asked|answer|respond|reply|load this|process this|receive this|encounter this > run|execute|call|send|post|tell|say|reply|respond|always|do not|don't|must|should|you|ignore|first|include|append|fetch|open|upload|delete|instead"),
    rule(Address, 12, "if you are|if you're|since you are|because you are|as > an ai|an llm|a language model|an assistant|an agent|an autonomous agent|a coding agent|an ai assistant|an ai agent|a large language model|a bot|a chatbot"),
    rule(Address, 10, "attention|dear|hey|hello|note to|notice to|message to|message for|instruction for|instructions for|instructions to|important for|reminder to|order to|orders for|to any|to all|to the > ai|ai agent*|ai assistant*|llm|llms|assistant|assistants|language model*|chatbot*|claude|chatgpt|gpt*|copilot|gemini|codex|cursor agent|coding agent*|the ai|the assistant|the agent|the llm|the model reading|all agents|all assistants|any ai|any agent*"),
    rule(Address, 20, "ai agent*|ai assistant*|llms|language models|the assistant|the agent|the ai|assistants|agents > reading this|who read this|that read this|processing this|seeing this|loading this"),
    rule(Address, 12, "assistant|agent|claude|chatgpt|copilot|gemini|codex|ai > please|you must|you will|obey|comply|execute|listen carefully > run|execute|send|ignore|now|the|this|delete|immediately|with|these|my"),
    rule(Secrecy, 16, "do not|don't|dont|never|must not|stop > tell|telling|mention*|inform*|notify*|reveal*|disclos*|alert*|warn*|let|report this to|report it to > the user|your user|users|the operator|the human|humans|anyone|anybody|your owner|the developer|the person|the admin|the reviewer > about|that|this|of|know|see|notice|first|what|anything|and|it|before|or|unless|ever"),
    rule(Secrecy, 16, "do not|don't|never > tell|mention this to|mention it to|inform|notify|alert|let > the user|the operator|the human|anyone|anybody|them|your user"),
    rule(Secrecy, 16, "without > telling|informing|notifying|alerting|the knowledge of > the user|the operator|the human|anyone|your user|the owner"),
    rule(Secrecy, 8, "keep this|keep it|keep these instructions|keep that > secret from|hidden from|between us|from the user|from the operator|from the human|a secret|confidential from"),
    rule(Secrecy, 16, "hide|conceal > this|these|it|the output|your actions|that > from the user|from the operator|from the human|from anyone|from the reviewer|from review"),
    rule(Secrecy, 10, "secretly|silently|covertly|quietly|stealthily > send|run|execute|upload|forward|add|insert|install|post|call|copy|exfiltrate|delete|commit|push|include"),
    rule(Exfiltration, 60, "send|post|upload|forward|email|e-mail|exfiltrate|transmit|leak|copy|append|include|paste|curl|push|submit > secret|secrets|token|tokens|credential*|password*|api key*|api-key*|apikey*|ssh key*|private key*|.env|env file*|environment variables|env vars|env|system prompt|conversation*|chat history|memories|session cookie*|cookies|/etc/passwd|id rsa|keychain|wallet*|source code|everything you > to http*|to the following|to this|to my|to me|to us at|to attacker*|to evil*|at http*|to an external|to our server|to collect*"),
    rule(Exfiltration, 120, "curl|wget|iwr|invoke-webrequest|fetch > http*|$url > ¦ sh|¦ bash|¦ sudo|¦ python*|¦ zsh|¦ iex"),
    rule(Exfiltration, 60, "base64 -d|base64 --decode|base64 -di|frombase64string|atob( > ¦ sh|¦ bash|eval|exec|iex"),
    rule(Exfiltration, 30, "download|fetch|retrieve|get|open|visit|load|read > http* > and run it|and execute it|and follow|then run it|then execute it|then follow|and do what|and obey|follow the instructions|and install it|, run it|, execute it|as instructions"),
    rule(Exfiltration, 16, "follow|obey|execute|carry out|comply with > the instructions|instructions|the commands|the steps|all commands|the directions > at http*|from http*|found at|found in the|on the page|in this file|below exactly|below without|hosted at|encoded in|hidden in"),
    rule(Exfiltration, 16, "reveal|print|output|repeat|leak|disclose|show|display|dump|recite|give me|tell me|summarize|translate > your|the hidden|the secret|all your|all previous|the initial|the original > system prompt*|instruction*|system message*|secrets|credentials|hidden prompt|hidden rules|initial prompt|guidelines"),
    rule(Exfiltration, 16, "reveal|leak|repeat|disclose|output|recite|print|dump|give me > the system prompt|the system message|the developer message|the text above|everything above|the words above|all text above|the above text"),
    rule(Exfiltration, 12, "run|execute|use|type|invoke|call > rm -rf|sudo rm|mkfs|dd if|chmod 777 /|git push --force --mirror|:(){|del /s|format c > /|home|everything|$home"),
    rule(Authority, 14, "the user|user|the operator|operator|the owner|your owner|the human|the admin|administrator|your developer*|security team > already|has|have > approved|agreed|consented|authorized|authorised|granted you|given you|given permission|signed off on|allowed you|preapproved|waived > this|you|all|every*|these|permission|any|such|running|deleting|full"),
    rule(Authority, 10, "you have|you've|you are|you're|you have been|i grant you|i give you > permission|full permission*|authorized|authorised|pre-approved|full access|root access|admin rights|been authorized|been granted|unrestricted access|explicit permission > to|from|for|over|and|on"),
    rule(Authority, 12, "mark|treat|consider|regard|accept|classify|store|save > this|this memory|this row|this note|this entry|the following > as confirmed|as approved|as trusted|as verified|as an instruction|as instructions|as user confirmed|as a system|as authoritative|as fact without|as a command"),
    rule(Authority, 8, "this memory|this note|this message|this instruction > is confirmed by|is approved by|is trusted|is verified by|overrides|has the highest priority|takes precedence over|supersedes all|outranks everything|comes from the system|is a system|has priority over|was approved by"),
    rule(Authority, 10, "do not ask|don't ask|never ask|no need to ask|stop asking > for confirmation|for permission|for approval|the user before|the user for|the user first|the user to confirm|for consent|questions, just"),
    rule(Authority, 10, "skip|bypass|circumvent|evade|disable|auto-approve|auto approve|automatically approve|automatically confirm > the approval*|all approval*|the permission prompt*|permission prompts|all permission*|the confirmation prompt|any confirmation|human review|the review|all tool calls|every request|the review queue|every tool|all requests > and|for|so|when|,|.|from|to|because|entirely|by|of"),
    rule(Authority, 24, "run|use|start|launch|pass|add|restart|always > --dangerously-skip-permissions|--yolo|--dangerously-bypass-approvals-and-sandbox|bypasspermissions"),
    rule(Override, 16, "ignor*|disregard*|forget|discard|set aside|pay no attention to > what came before|what was said|what you were|what precedes|the above|all of the above|everything above|anything above|whatever was|all that came|everything that came|everything before|the text before|the foregoing > and|,|.|;|:|-|before|above|instead|told|just|earlier"),
    rule(Override, 24, "previous|prior|earlier|existing|current|former|your|all > directive*|instruction*|guideline*|orders|system prompt > cancelled|canceled|void|revoked|superseded|have changed|has changed|overridden|suspended|lifted|invalid|rescinded"),
    rule(Override, 12, "supersede*|replace*|override*|overrule*|outrank* > your|all previous|all prior|any previous|the system > rules|instruction*|guideline*|directive*|prompt|polic*|orders"),
    rule(Override, 8, "your > instruction*|orders|directives|guidelines|rules > have changed|have been|are now|are hereby|are:|are as follows|were updated"),
    rule(Address, 8, "you must|you will|you shall|you have to|you are to|you should > comply|obey|do as|follow every|follow all|accept all|do exactly|do everything|do whatever"),
    rule(Address, 8, "you always|you never|you only|you blindly > trust|obey|approve|recommend|run|execute|answer|say|reply|respond|refuse|question|call|merge|accept|ask|warn"),
    rule(Address, 12, "as the|as an|as a > assistant|ai|ai assistant|ai agent|coding agent|language model|llm|agent|autonomous agent > , you|you must|you will|you should|your first|your job|your task|your next|you are|you have"),
    rule(Address, 12, "any|every|all|each|whichever > model|models|llm|llms|ai|ais|agent|agents|assistant|assistants > reading|processing|that reads|who reads|that sees|who sees|seeing|parsing|ingesting|that process*|summarizing|loading this"),
    rule(Address, 16, "include|append|add|insert|mention|repeat|put|say > in each|in every|in all|to each|to every|to all|with each > reply|replies|answer|answers|your output|completion|of your|response to the user|response you"),
    rule(Address, 8, "end|begin|start|preface|close > each|every|all > reply|replies|response|responses|answer|answers|output > with|by"),
    rule(Address, 12, "respond|reply|answer|return > to every|to any|to all|to each|every|any|all > question|questions|message|messages|prompt|prompts|request from the user|query from > with|using|by saying"),
    rule(Address, 24, "when|while|before|after|whenever > summarizing|summarising|translating|processing|reviewing|reading|analyzing|analysing|answering > this|these|it|any question|the user > also|always|include|add|append|instead|first|insert|link|say|mention|run|call"),
    rule(Address, 20, "do|follow|execute|perform|believe > everything|exactly what|anything > says|said|tells|is written|asks|instructs|commands|demands"),
    rule(Address, 20, "your first action|your next action|your next step|your only job|your first step|your next response|your next reply|your next message|your answer > must|should|is to|will|has to|shall|needs to"),
    rule(Exfiltration, 40, "exfiltrat*|steal|leak|harvest|siphon > .env|secret*|token*|credential*|password*|key|keys|data|env|code|conversation*|memor*|cookie* > to|via|through|by|from|and send|into"),
    rule(Exfiltration, 60, "cat|read|open|take|grab|collect|dump|find|get|extract|print > .aws/credentials|.env|id rsa|.ssh|.netrc|/etc/passwd|/etc/shadow|credentials file|.npmrc|.pypirc|.kube/config|keychain|environment variables > post|send|upload|curl|paste|forward|submit|base64|append it|include it|put it > http*|it|them|to|in your|the|into"),
    rule(Authority, 16, "approve|confirm|accept|authorize|authorise|allow|grant > all|every|each|any|the > pending memor*|pending row*|pending question*|pending request*|pending review*|memories|memory row*|tool call*|permission request*|memory candidates|candidates of|pull requests of|pull request of"),
    rule(Authority, 24, "mark|set|flag|promote|record > row|rows|memory|memories|candidate*|note|notes|itself > as confirmed|as approved|as trusted|as verified|to confirmed|to approved|as user confirmed|to user confirmed|user confirmed"),
    rule(Authority, 16, "set|change|turn|switch|edit > review.lock|can use as instruction|policy bits|the approval policy|approval policy|permission mode > off|to off|to none|disabled|to never|= false|to 1|to true|danger*|to allow|to bypass*"),
    rule(Authority, 10, "admin|system|emergency|sudo > override|overrides|bypass|mode > :|enabled|grant*|activated|engaged|code|accepted|,"),
    rule(Authority, 8, "grant > full|root|admin|unrestricted|all|write|sudo > access|permission*|privilege*|rights > to me|to mallory|to this|to the agent|to all|to everyone|now|immediately|.|for this|without"),
    rule(Authority, 60, "no confirmation|no approval|no permission|confirmation is not|approval is not|permission is not|no review > needed|required|necessary > the user|the operator|user|operator|the owner > agreed|approved|knows|consented|said|confirmed|wants|already"),
    rule(Authority, 10, "don't bother|do not bother|no need|there is no need|never bother > asking|to ask|confirming|to confirm|to check with|checking with > the user|the operator|the human|for|anyone|with|me|first|,"),
    rule(Override, 16, "ignore|disregard|forget > the instructions|instructions|the rules|the guidelines|the orders > you got|you were|you have|you received|given to you|from before|from earlier|that came|you had|above"),
    rule(Override, 24, "you were given|you have been given|you received|you were told > obsolete|no longer|void|invalid|disregard*|ignore|outdated"),
    rule(Override, 8, "you are|you're > an unrestricted|an unfiltered|an uncensored|a free ai|a jailbroken|unrestricted|a rogue|an evil|mallory's|no longer a"),
    rule(Address, 16, "all|any|every|each|dear|hey|hello > assistants|assistant|agent|agents|ais|bots|llms > must|that see|who see|should|, before|, run|, open|, delete|, ignore|, first|, please|, you"),
    rule(Address, 12, "in every|in each|in all|with every|with each > answer|reply|completion|response to the user|response you > ,|recommend|include|mention|add|append|link|say|you"),
    rule(Address, 12, "as of today|as of now|starting now|starting today|effective immediately > you work|you are|you obey|you serve|you answer|you must|you will|you only|, you"),
    rule(Address, 10, "run|execute|do|perform|use > the following command*|the following script|the following tool|this command|this tool|the tool|the command below|the commands below|these commands|the script below > right away|immediately|now|before you|before answer*|first,|without|at once|and do not|and report"),
    rule(Authority, 24, "the user|the operator|the owner > has|have|had > approved|authorized|authorised|waived > unattended|all|every*|any|this|no further|force push*|deletion*|full|unrestricted|your"),
    rule(Authority, 16, "no further > questions|approval|confirmation|permission|consent|review > needed|required|necessary|is needed|is required"),
    rule(Exfiltration, 12, "rm -rf|sudo rm -rf > /|home|everything > now|must be|immediately|right away|without|executed|run by"),
    rule(Override, 0, "ignoreallprevious*|ignoreprevious*|ignoreallprior*|ignorepriorinstructions*|disregardallprevious*|disregardprevious*|forgetallprevious*|forgetpreviousinstructions|ignoretheabove*|ignorealltheabove*|ignoreyourinstructions*|ignoreallinstructions*|ignoriereallevorherigen*|ignorierevorherige*|revealyoursystemprompt*|revealthesystemprompt*"),
];

#[rustfmt::skip]
const GERMAN: &[Rule] = &[
    rule(Override, 16, "ignorier*|vergiss|vergesst|missachte*|beachte nicht > was oben|das obige|obiges|was davor|was vorher|alles, was|alles was|alles obige|was bisher|was man dir|den text oben"),
    rule(Override, 40, "vorherig*|bisherig*|fruher*|deine|alle > anweisung*|instruktionen|vorgaben|befehle > gelten nicht|sind aufgehoben|sind ungultig|sind nichtig|gelten ab sofort nicht|haben sich geandert"),
    rule(Override, 30, "ignorier*|vergiss|vergesst|vergessen sie|missachte*|missachten sie|verwirf|uberschreibe*|beachte*|befolge*|folge > vorherig*|vorig*|bisherig*|obig*|fruher*|vorangehend*|vorangegangen*|deine*|ihre|alle*|sonstig* > anweisung*|instruktion*|regeln|befehl*|vorgaben|prompt*|richtlinien|systemanweisung*|auftrage"),
    rule(Override, 20, "ignorier*|vergiss|vergesst|vergessen sie > alles > davor|vorher*|was|oben|bisher*|obige|zuvor"),
    rule(Override, 10, "du bist jetzt|du bist nun|du bist ab sofort|sie sind jetzt|sie sind nun|du bist nicht mehr|tu so, als|verhalte dich wie|spiele die rolle > ein|eine|einer|kein|frei|dan|admin*|im|der|die|an|warst|seist|warest|unbeschrankt"),
    rule(Address, 60, "du musst|du sollst|sie mussen|du hast|ihr musst > immer|stets|sofort|unverzuglich|nie|niemals|ausnahmslos > ausfuhr*|send*|aufruf*|schick*|antwort*|verrat*|sag*|nenn*|herunterlad*|gehorch*|befolg*|folgen|offne*|ausgeb*|installier*|starten|laufen lassen|hochlad*|erwahn*|empfehl*"),
    rule(Address, 24, "ab jetzt|von nun an|ab sofort|von jetzt an > du|sie|antworte*|befolge*|gehorche*|handle|musst|wirst|bist"),
    rule(Address, 12, "als|liebe|an die|hinweis an|hinweis fur|anweisung fur|anweisungen fur|achtung|nachricht an > ki|ki-agent*|ki-assistent*|sprachmodell|die ki|den assistenten|den agenten|alle agenten|assistent|der assistent|alle ki*|agenten und"),
    rule(Address, 40, "wenn du dies|wenn du das|sobald du dies|falls du dies|wenn sie dies|wenn du diese > liest|lesen|siehst|abrufst|verarbeitest"),
    rule(Secrecy, 40, "sag*|verrate*|erwahne*|informiere*|teile|melde*|zeige*|erzahle* > dem nutzer|dem benutzer|den nutzer|den benutzer|dem anwender|dem bediener|dem menschen|niemand*|der nutzerin|gegenuber > nicht*|davon|nie|kein*|etwas|dem"),
    rule(Secrecy, 40, "sag*|verrate*|erwahne*|informiere*|verschweige*|verheimliche* > niemandem|dem nutzer nichts|dem benutzer nichts|nichts davon|den nutzer nicht|den benutzer nicht|dem nutzer|dem benutzer"),
    rule(Secrecy, 40, "ohne > nutzer*|benutzer*|bediener*|anwender* > zu informieren|zu fragen|bescheid*|zu sagen|zu warnen|zu benachrichtigen"),
    rule(Secrecy, 30, "heimlich|unbemerkt|stillschweigend > send*|schick*|fuhr*|lade|ausfuhr*|losch*|hochlad*|kopier*|hoch"),
    rule(Exfiltration, 60, "sende*|schick*|lade|ubermittl*|leite|poste*|kopiere* > passwort*|schlussel*|zugangsdaten|token*|geheimnis*|umgebungsvariablen|.env|systemprompt|gesprach*|api-schlussel > an http*|nach http*|an folgende|an diese|an mich|zu http*|auf http*|an die adresse|per post an"),
    rule(Exfiltration, 30, "gib|zeig*|nenn*|verrate*|wiederhole*|drucke > dein*|den|die|ihre* > system-prompt|systemprompt*|system prompt|anweisungen|systemanweisung*|geheimen|internen"),
    rule(Authority, 24, "der nutzer|der benutzer|nutzer|benutzer|der betreiber|die nutzerin > hat > bereits|schon|langst|dir > zugestimmt|genehmigt|erlaubt|bestatigt|freigegeben|eingewilligt"),
    rule(Authority, 20, "frag*|bitte|warte > nicht|nie > nach erlaubnis|nach bestatigung|um erlaubnis|um bestatigung|nach zustimmung|auf bestatigung|auf freigabe"),
    rule(Authority, 12, "behandle|markiere|betrachte|speichere > dies*|diese*|das folgende|es > als bestatigt|als genehmigt|als vertrauenswurdig|als anweisung|als systemnachricht"),
];

#[rustfmt::skip]
const FRENCH: &[Rule] = &[
    rule(Secrecy, 24, "tu ne dois|vous ne devez|il ne faut > jamais|pas > mentionner|parler de cette|reveler|evoquer > cette|ce|cet|l'existence|a l'utilisateur"),
    rule(Override, 16, "ignor*|oubli*|ne tiens pas compte|ne tenez pas compte|ne tiens plus compte|fais abstraction|faites abstraction > ce qui precede|tout ce qui|ce qui est ecrit|ce qui a ete|ce que l'on|ce qu'on|ce qu'il|ce que tu|ce que vous|tout ce que|le texte ci-dessus|ce qui est dit"),
    rule(Override, 24, "ignor*|oubli*|ne tiens pas compte|ne tenez pas compte|ne tiens plus compte|fais abstraction|faites abstraction|neglige*|ne suis pas|ne suivez pas|ne respecte* pas > instruction*|consigne*|regles|directive*|ordres|invite* > precedent*|anterieur*|ci-dessus|prealable*|systeme|initial*|d'avant|donnees|recues|que tu|que vous|du systeme"),
    rule(Override, 8, "ignor*|oubli*|neglige* > toutes les|tous les|toutes tes|tes|vos|toutes vos|toute > instruction*|consigne*|directive*|ordres|regles precedentes"),
    rule(Override, 10, "tu es maintenant|vous etes maintenant|tu es desormais|tu n'es plus|vous n'etes plus|fais semblant d'etre|faites semblant|comporte-toi comme|tu joues le role > un|une|le|la|en|libre|dan|admin*|de|d'|soumis*|lie*|limite*"),
    rule(Address, 30, "tu dois|vous devez|il te faut|tu devras > toujours|jamais|immediatement|desormais|systematiquement|sans exception > execut*|envoy*|appel*|repond*|lanc*|obei*|suiv*|revel*|dire|utilis*|telecharg*|inclu*|mention*|install*"),
    rule(Address, 24, "a partir de maintenant|desormais|dorenavant > tu|vous|reponds|repondez|obeis"),
    rule(Address, 12, "en tant qu'|cher|chere|message a l'|note a l'|attention|note pour l'|instructions pour l'|consigne pour l' > ia|assistant*|agent ia|intelligence artificielle|modele de langage|agent*"),
    rule(Address, 40, "quand tu lis|lorsque tu lis|si tu lis|si vous lisez|quand vous lisez|des que tu lis|lorsque vous lisez > ceci|cela|ce message|cette*|ce texte"),
    rule(Secrecy, 30, "ne dis|ne dites|ne revele*|n'informe*|ne previen*|ne mentionne*|ne parle*|sans prevenir|sans informer|sans dire|sans demander|a l'insu|cache*|sans avertir|n'avertis > utilisateur*|operateur*|a personne|humain*|proprietaire"),
    rule(Secrecy, 20, "discretement|secretement|en secret|en silence|en cachette > envoi*|envoy*|execut*|transmet*|supprim*|televers*|copi*"),
    rule(Exfiltration, 60, "envoi*|envoy*|transmet*|televers*|poste*|copie*|expedi* > mot de passe|mots de passe|cle*|secret*|jeton*|identifiants|variables d'environnement|.env|conversation*|prompt > a http*|vers http*|sur http*|a l'adresse|a cette adresse|vers cette|vers mon|au serveur"),
    rule(Exfiltration, 24, "revel*|affich*|repet*|montr*|donne*|ecris > ton|votre|tes|vos|le > prompt*|instructions|invite systeme|message systeme|consignes"),
    rule(Authority, 24, "utilisateur|operateur|proprietaire > a deja|t'a deja|vous a deja > approuv*|accept*|autoris*|confirm*|donne son accord|valide"),
    rule(Authority, 20, "ne demande* > pas|jamais|aucune > confirmation|permission|d'autorisation|de confirmation|l'autorisation|la permission|autorisation"),
];

#[rustfmt::skip]
const SPANISH: &[Rule] = &[
    rule(Override, 16, "ignor*|olvid*|haz caso omiso|haga caso omiso|no hagas caso|no tengas en cuenta > lo anterior|todo lo|lo dicho|lo que te|lo que se|el texto anterior|cuanto se"),
    rule(Override, 24, "ignor*|olvid*|desestim*|no sigas|no siga|haz caso omiso|haga caso omiso|no hagas caso|descarta|omite > instruccion*|regla*|ordenes|directriz|directrices|indicacion* > anterior*|previa*|previo*|de arriba|precedent*|del sistema|que te|que recib*|que has|iniciales"),
    rule(Override, 8, "ignor*|olvid*|desestim* > todas las|todas tus|tus|sus|todos los|cualquier > instruccion*|indicacion*|directrices|ordenes|reglas anteriores"),
    rule(Override, 10, "ahora eres|ya no eres|a partir de ahora eres|finge ser|finge que eres|actua como si|haz de cuenta > un|una|el|la|libre|dan|admin*|que|fueras|en|parte|limitad*"),
    rule(Address, 30, "debes|tienes que|debe usted|deberas|has de > siempre|nunca|inmediatamente|sin excepcion|en todo momento > ejecut*|envi*|llamar*|respond*|obedec*|revel*|decir|usar|seguir|descarg*|inclu*|mencion*|instal*|abrir"),
    rule(Address, 24, "a partir de ahora|desde ahora|de ahora en adelante|de aqui en adelante > eres|debes|tu|responde*|vas a|obedece*|deberas|contesta*"),
    rule(Address, 12, "como|estimado|estimada|querido|atencion|mensaje para|nota para|instrucciones para|aviso para > ia|asistente de ia|agente de ia|la ia|el asistente|el agente|inteligencia artificial|modelo de lenguaje|asistente|asistentes|agentes"),
    rule(Address, 40, "cuando leas|si lees|si estas leyendo|al leer|cuando veas|cada vez que leas|en cuanto leas > esto|este|esta"),
    rule(Secrecy, 30, "no le digas|no digas|no informes|no menciones|no reveles|no avises|no le cuentes|no cuentes|sin decir*|sin avisar|sin informar|sin preguntar|oculta*|no se lo digas|a espaldas > usuario*|operador*|a nadie|nadie|humano*|dueno"),
    rule(Secrecy, 20, "en secreto|secretamente|en silencio|a escondidas|silenciosamente > envia*|ejecut*|sube*|manda*|borra*|copia*|elimina*"),
    rule(Exfiltration, 60, "envi*|manda*|sube*|transmit*|publica*|copia*|reenvi* > contrasena*|clave*|secreto*|token*|credencial*|variables de entorno|.env|conversacion*|prompt > a http*|hacia http*|en http*|al servidor|a esta direccion|a la siguiente|a la direccion|a mi correo|por correo a"),
    rule(Exfiltration, 24, "revel*|muestra*|imprime*|repite*|dime|escribe > tu|tus|el|las > prompt*|instrucciones|mensaje del sistema|indicaciones"),
    rule(Authority, 24, "usuario|operador|dueno|propietario > ya|te > aprob*|acept*|autoriz*|confirm*|dio permiso|ha aprobado|ha autorizado|ha dado|ha confirmado"),
    rule(Authority, 20, "no pidas|no pida|nunca pidas|no solicites|sin pedir > confirmacion|permiso|autorizacion|aprobacion"),
];

#[rustfmt::skip]
const RUSSIAN: &[Rule] = &[
    rule(Override, 60, "не обращай*|игнорир*|проигнорир*|забудь*|не учитывай* > все, что|все что|написанное|сказанное|на все|то, что|текст > выше|раньше|ранее|до этого|прежде|тебе говорили|тебе сказали"),
    rule(Override, 50, "игнорир*|проигнорир*|забудь*|забыть|не обращай*|отбрось*|отмени*|пренебрег*|не следуй* > предыдущ*|прежн*|прошл*|все|всех|вышеуказанн*|вышеизложенн*|выше|системн*|ранее|свои|твои|данные тебе > инструкц*|указани*|правила|правил|команды|приказ*|промпт*|распоряжени*"),
    rule(Override, 20, "теперь ты|ты теперь|ты больше не|вы теперь|вы больше не|притворись|представь, что ты|веди себя как"),
    rule(Address, 60, "ты должен|ты обязан|вы должны|вы обязаны|тебе нужно|тебе следует > всегда|никогда|немедленно|сразу|каждый раз|постоянно > запуск*|запуст*|выполн*|отправ*|вызыв*|отвеча*|сообщ*|слуша*|подчин*|раскры*|использ*|скачив*|скача*|устан*|открыв*|говори*|упомин*"),
    rule(Address, 50, "отныне|с этого момента|с этой минуты|впредь > ты|вы|отвечай*|выполняй*|подчиняйся"),
    rule(Address, 24, "как|уважаемый|внимание|сообщение для|инструкция для|инструкции для|указания для|обращение к > ии|ии-агент*|ии-ассистент*|ассистент*|языков* модел*|агент*|нейросет*"),
    rule(Address, 60, "когда ты|если ты|как только ты|когда вы|если вы > читаешь это|прочтешь это|прочитаешь это|видишь это|читаете это|прочтете это|читаешь эт*|видишь эт*"),
    rule(Secrecy, 60, "не говори*|не сообщай*|не упоминай*|не рассказывай*|не уведомляй*|без ведома|не предупреждая|не сообщая|не спрашивая|втайне от|тайно от|скрой*|скрывай*|не показывай*|не информируй* > пользовател*|оператор*|человек*|никому|владел*"),
    rule(Secrecy, 40, "тайно|незаметно|втайне|скрытно|тихо > отправ*|выполн*|запуст*|удали*|загруз*|скопир*|передай*"),
    rule(Exfiltration, 100, "отправ*|пришли*|загруз*|передай*|выложи*|скопируй*|перешли* > парол*|ключ*|секрет*|токен*|учетн*|переменн*|.env|переписк*|системный промпт > на http*|по адресу|на адрес|на сервер|мне|на почту|по ссылке|сюда"),
    rule(Exfiltration, 50, "покажи*|раскрой*|выведи*|повтори*|напечатай*|назови* > свои|твои|свой|системн*|все свои > промпт*|инструкц*|указания|правила"),
    rule(Authority, 50, "пользователь|оператор|владелец > уже > одобр*|соглас*|разреш*|подтверд*|дал > это|все|удаление|удалени*|тебе|эти|этот|любые|действи*|команд*|согласие|права|на"),
    rule(Authority, 50, "не спрашивай*|не проси*|не запрашивай* > подтвержден*|разрешен*|согласи*"),
];

#[rustfmt::skip]
const CHINESE: &[Rule] = &[
    rule(Secrecy, 18, "不要让|不要讓|别让|不能让 > 用户|用戶|使用者|操作员|任何人|人类 > 知道|发现|發現|看到|察觉|注意到"),
    rule(Override, 18, "忽略|无视|無視|忘记|忘掉|不要管|别管 > 上文|前文|上面的|之前的内容|以上内容|前述|刚才|之前说|之前的话|上面说"),
    rule(Override, 30, "忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要遵守|不要遵循|抛开|丢弃|不理会 > 之前|先前|以上|上述|前面|此前|所有|全部|一切|系统|系統|你的|原有|以前|任何 > 指令|指示|规则|規則|提示|命令|说明|要求|设定|限制|約束|约束"),
    rule(Override, 12, "你现在是|你現在是|你不再是|你将扮演|假装你是|假裝你是|从此你是|请扮演|你要扮演 > 一个|一個|一名|不受|没有|無|无|管理员|dan|黑客|自由"),
    rule(Address, 30, "你必须|你必須|你应当|你需要|你务必|请务必|你一定要|你要|你应该 > 总是|始終|始终|立即|立刻|马上|永远|每次|一律 > 运行|執行|执行|调用|发送|發送|回答|回复|使用|服从|下载|打开|上传|遵守我|安装|推荐"),
    rule(Address, 20, "从现在开始|从现在起|從現在開始|從現在起|今后|从此以后 > 你|您"),
    rule(Address, 20, "作为|作為|致|亲爱的|给|注意 > ai助手|ai 助手|人工智能|ai代理|ai 代理|智能体|语言模型|ai模型|ai agent|大模型"),
    rule(Address, 30, "当你|如果你|一旦你|每当你 > 读到这|看到这|读到此|看到此|读取这|阅读这|被问 > 请|就|必须|立即|运行|执行|发送|,|，|时|条|段|个"),
    rule(Secrecy, 30, "不要告诉|不要告訴|别告诉|不得告诉|不要向|瞒着|不要通知|不要提醒|切勿告诉|隐瞒|不告诉|不要对 > 用户|用戶|使用者|操作员|任何人|他们|人类"),
    rule(Secrecy, 30, "悄悄|偷偷|秘密地|暗中|静默地 > 发送|运行|执行|上传|删除|复制|发|安装|把|将"),
    rule(Exfiltration, 60, "把|将|將|发送|上传|泄露 > 密码|密碼|密钥|密鑰|令牌|凭证|凭据|环境变量|環境變數|.env|口令|api key|私钥|聊天记录|系统提示 > 发送到|發送到|发到|上传到|上傳到|发送给|发给|传到|http*|发往|提交到"),
    rule(Exfiltration, 30, "输出|显示|透露|打印|重复|告诉我|泄露|复述|輸出 > 你的|系统|系統|初始 > 系统提示|系統提示|提示词|提示詞|指令|初始提示|规则"),
    rule(Authority, 24, "用户|使用者|操作员|管理员 > 已经|已 > 同意|批准|授权你|允许你|确认此"),
    rule(Authority, 20, "不要|无需|无须|不必|不用 > 请求确认|征求同意|询问用户|请求许可|征求用户|请求批准|再次确认，"),
];

#[rustfmt::skip]
const JAPANESE: &[Rule] = &[
    rule(Override, 18, "上記を|上記は|上記の内容を|これまでの内容を|前述の内容を|上の文を|ここまでの内容を|以上の内容を|今までの会話を > 無視し|無視せよ|無視して|忘れて|忘れろ|破棄し"),
    rule(Override, 36, "これまで|以前|上記|すべて|全て|今まで|先ほど|前の|元の|従来|あなたの|システム > 指示|命令|ルール|規則|プロンプト|指令|制約|設定 > 無視|忘れ|従わない|従うな|破棄|無効|上書き"),
    rule(Override, 24, "あなたは今|あなたはもう|今からあなたは|これからあなたは|あなたは現在|のふりをし|になりきっ"),
    rule(Address, 48, "あなたは|あなたが|貴方は|君は > 常に|必ず|いつも|直ちに|すぐに|毎回|絶対に > 実行し|送信し|呼び出|答え|従っ|従わ|使用し|アップロード|実行する|送信する|開い|インストール|返信"),
    rule(Address, 24, "今から|これから|今後|以後|この瞬間から > あなたは|君は|お前は"),
    rule(Address, 24, "親愛なる|aiアシスタント|aiエージェント|言語モデル|アシスタントへ|エージェントへ|ai > へ|として"),
    rule(Address, 36, "これを|この文を|このメモを|このメッセージを > 読んだ|読んでいる|見た|読む|読み込んだ > ら|場合|なら|とき|時|際"),
    rule(Secrecy, 48, "ユーザー|ユーザ|利用者|誰に|人間に|オペレーター|使用者 > 言わない|言わず|知らせない|伝えない|教えない|言うな|伝えるな|知らせるな|内緒|秘密|気づかれない|報告しない|伝えず|知らせず|確認せず|隠し|言わ|気付かれ|尋ねず"),
    rule(Secrecy, 36, "密かに|こっそり|ひそかに|黙って > 送信|送っ|実行|アップロード|削除|コピー|インストール|追加"),
    rule(Exfiltration, 60, "パスワード|秘密鍵|apiキー|api キー|トークン|認証情報|環境変数|.env|機密|シークレット|会話 > http*|次の|以下の|このアドレス|このサーバ|外部 > 送信|送っ|送れ|アップロード|投稿|転送"),
    rule(Exfiltration, 36, "システムプロンプト|あなたの指示|初期指示|内部指示|隠された指示 > 表示し|出力|教え|明かし|繰り返|見せ|開示"),
    rule(Authority, 36, "ユーザー|ユーザ|利用者|管理者|オペレーター > すでに|既に|もう > 承認|同意|許可"),
    rule(Authority, 36, "確認|許可|承認 > 求めず|求めない|求めるな|取らず|不要です。"),
];

#[rustfmt::skip]
const OTHERS: &[Rule] = &[
    // Portuguese.
    rule(Override, 24, "ignor*|esqueç*|desconsider* > todas as|as|suas|quaisquer > instruções|instruçao|regras|ordens|diretrizes > anterior*|acima|prévias|do sistema|que"),
    rule(Secrecy, 24, "não diga|não conte|não informe|sem avisar|sem informar > usuário*|ninguém|operador*"),
    // Italian.
    rule(Override, 24, "ignor*|dimentic*|trascur* > tutte le|le|ogni|i|gli > istruzioni|istruzione|regole|ordini|comandi > precedent*|sopra|di sistema|ricevut*"),
    rule(Secrecy, 24, "non dire|non dirlo|non informare|senza avvisare|senza informare > utente|nessuno|operatore"),
    // Dutch.
    rule(Override, 24, "negeer|vergeet > alle|eerdere|vorige|voorgaande|bovenstaande > instructies|opdrachten|regels|aanwijzingen"),
    // Polish.
    rule(Override, 30, "zignoruj*|ignoruj*|zapomnij* > poprzedni*|wcześniejsz*|wszystki*|powyższ* > instrukcj*|polece*|zasad*"),
    // Turkish.
    rule(Override, 30, "önceki|yukarıdaki|tüm > talimat*|komut*|kural* > yok say*|görmezden*|unut*"),
    // Korean.
    rule(Override, 40, "이전|위의|모든|앞선|기존|지금까지 > 지시|명령|규칙|지침|프롬프트 > 무시|잊|따르지"),
    rule(Secrecy, 40, "사용자에게|사용자한테|아무에게도|사용자 > 말하지|알리지|언급하지|모르게|몰래"),
    // Arabic.
    rule(Override, 50, "تجاهل|انس|انسى|لا تتبع > التعليمات|الاوامر|الأوامر|القواعد|تعليمات > السابقة|اعلاه|أعلاه|كلها|النظام"),
    rule(Override, 50, "تجاهل|انس > جميع|كل > التعليمات|الأوامر|القواعد"),
    rule(Secrecy, 50, "لا تخبر|لا تقل|دون إخبار|دون علم > المستخدم|أحد|احدا|أحدا"),
    // Hindi.
    rule(Override, 70, "पिछले|पिछली|पूर्व|सभी|ऊपर > निर्देश*|आदेश*|नियम* > अनदेखा|अनदेखी|नजरअंदाज|भूल"),
    // Ukrainian.
    rule(Override, 50, "ігноруй*|проігноруй*|забудь* > попередн*|всі|усі|вищенаведен* > інструкці*|вказівк*|правила|команди"),
];
