/** For lower-case text with straight apostrophes. All repetitions are bounded. */

/** Refusals to help: in an answer of the tutor they are always a refusal. */
export const helpRefusalPatterns: readonly RegExp[] = [
  /\b(?:i|we)\b(?:'m| am|'re| are)? (?:(?:really|very|so|afraid|sorry|simply|unfortunately|currently|just),? ){0,3}(?:i )?(?:can't|cannot|can not|(?:not able|unable|not allowed|not permitted) to|won't|will not|must decline to|have to decline to) (?:be able to )?(?:help|assist|comply|engage|support)(?: you)?(?: (?:with|in|on) (?:that|this|it|such|your|the request|any)\b|[.,!;]|$)/,
  /\bas an? (?:ai|artificial intelligence|large language model|language model)\b[^.!?]{0,60}\bi\b[^.!?]{0,30}(?:can't|cannot|can not|unable|not able|not allowed|don't|do not|must not)/,
  /\b(?:kann|darf|werde)\b[^.!?]{0,40}\bnicht (?:dabei |damit |hierbei |weiter)?(?:helfen|unterstützen|weiterhelfen|behilflich sein)\b/,
  /\bno (?:puedo|podemos|me es posible) (?:ayudar|asistir|cumplir|apoyar)/,
  /\bne (?:peux|pouvons|suis) pas (?:en mesure de |autorisée? à )?(?:vous |t'|te |y )?(?:aider|assister)/,
  /\bnon (?:posso|possiamo|sono in grado di) (?:aiutar|assister|soddisfare)/,
  /\bnão (?:posso|podemos|consigo|sou capaz de) (?:te |lhe |o |a )?(?:ajudar|auxiliar|atender)/,
  /\bkan\b[^.!?]{0,30}\b(?:niet|geen)\b[^.!?]{0,20}\b(?:helpen|hulp)\b/,
  /\bnie mog[ęe](?: [^.!?]{0,20})? ?pomóc/,
  /\bkan\b[^.!?]{0,20}\binte\b[^.!?]{0,15}\bhjälpa\b/,
  /\bkan\b[^.!?]{0,20}\bikke\b[^.!?]{0,15}\bhjælpe\b/,
  /не (?:могу|можу|мога)(?: [^.!?]{0,20})? (?:помочь|помогать|допомогти|помогна)/,
  /δεν μπορώ να (?:σας |σε )?(?:βοηθήσω|εξυπηρετήσω)/,
  /لا (?:أستطيع|يمكنني|أقدر)[^.!؟]{0,20}(?:مساعد)/,
  /نمی.?توانم[^.!؟]{0,30}کمک|کمک[^.!؟]{0,20}نمی.?توانم/,
  /(?:לא|איני|אינני) ?(?:יכול|יכולה|אוכל)? ?(?:לעזור|לסייע)/,
  /(?:मदद|सहायता) नहीं (?:कर|दे) (?:सकत|पाऊ)/,
  /(?:无法|無法|不能|没法|沒辦法)[^。！？]{0,8}(?:帮助|幫助|协助|協助|帮忙|幫忙|满足)/,
  /(?:お手伝い|支援|サポート|お力になる)[^。！？]{0,8}(?:できません|できかねます|致しかねます)/,
  /(?:도와|도움)[^.!?]{0,12}(?:수 ?없|못)/,
];

/** Refusals to answer: tutors also say so of a solution, before a hint. */
export const answerRefusalPatterns: readonly RegExp[] = [
  /(?:sorry|apologi[sz]e|apologies|unfortunately|regret|afraid)[^.!?]{0,80}\b(?:can't|cannot|can not|unable to|not able to|won't|will not|not allowed to)(?: \w{1,20}){0,2} (?:answer|respond|discuss|provide|continue|create|generate|produce|talk|share|complete|fulfil|fulfill|process|teach|write)\b/,
  /\b(?:i|we) (?:can't|cannot|can not|am unable to|'m unable to|won't) (?:answer|respond to|discuss|continue|talk about|provide|process) (?:that|this|your|such|any)\b/,
  /\bi must (?:respectfully )?decline\b|\bagainst my (?:guidelines|policy|programming)\b|\bviolates? (?:our|the|my) (?:content )?polic/,
  /\b(?:kann|darf)\b[^.!?]{0,40}\bnicht (?:beantworten|antworten|darüber sprechen|bereitstellen|fortfahren)\b/,
  /\bno (?:puedo|podemos) (?:responder|contestar|hablar|proporcionar|continuar)/,
  /\bne (?:peux|pouvons|suis) pas (?:en mesure de )?(?:y |vous |te |lui )?(?:répondre|discuter|parler|fournir|continuer)/,
  /\bnon (?:posso|possiamo|sono in grado di) (?:risponder|discuter|parlar|fornir|continuar)/,
  /\bnão (?:posso|podemos|consigo) (?:responder|discutir|falar|fornecer|continuar)/,
  /\bkan\b[^.!?]{0,30}\b(?:niet|geen)\b[^.!?]{0,20}\b(?:antwoord|beantwoorden|antwoorden|bespreken)/,
  /\bnie mog[ęe](?: [^.!?]{0,20})? ?(?:odpowiedzieć|rozmawiać|kontynuować)/,
  /\bkan\b[^.!?]{0,20}\b(?:inte|ikke)\b[^.!?]{0,15}\b(?:svara|besvara|diskutera|svare|besvare|diskutere)\b/,
  /не (?:могу|можу|мога)(?: [^.!?]{0,20})? (?:ответить|обсуждать|відповісти|обговорювати|отговоря)/,
  /δεν μπορώ να (?:σας |σε )?(?:απαντήσω|συζητήσω|παρέχω)/,
  /لا (?:أستطيع|يمكنني|أقدر)[^.!؟]{0,20}(?:الإجابة|الرد|مناقشة)/,
  /نمی.?توانم[^.!؟]{0,30}پاسخ|پاسخ[^.!؟]{0,20}نمی.?توانم/,
  /(?:לא|איני|אינני) ?(?:יכול|יכולה|אוכל)? ?(?:לענות|להשיב|לדון)/,
  /(?:उत्तर|जवाब) नहीं दे (?:सकत|पाऊ)/,
  /(?:无法|無法|不能|没法|沒辦法)[^。！？]{0,8}(?:回答|回应|回應|讨论|討論|提供|继续)/,
  /(?:お答え|回答|お応え)[^。！？]{0,8}(?:できません|できかねます|致しかねます)/,
  /(?:답변|대답|응답|논의)[^.!?]{0,12}(?:수 ?없|못)/,
];

/** Beginnings of an error of a provider or a server that arrived as text. */
export const errorTextPatterns: readonly RegExp[] = [
  /^(?:(?:internal|fatal|unhandled|api|http|network|server|gateway|request|stream|runtime|unknown|unexpected|model)[ _-]){0,2}(?:error|exception|failure)(?: code)? ?[:(#[–-]/,
  /^(?:an?|the) (?:\w{1,20} ){0,3}error (?:has )?(?:occurred|happened|was encountered)/,
  /^(?:sorry, |oops[,!.]* |oh no[,!.]* )?something went wrong/,
  /^(?:es ist ein (?:\w{1,20} )?fehler aufgetreten|une erreur (?:\w{1,20} )?(?:s'est produite|est survenue)|(?:ha ocurrido|se ha producido|se produjo) un error|si è verificato un errore|ocorreu um erro|er is een fout opgetreden|wystąpił błąd|произошла ошибка|发生(?:了)?错误|エラーが発生|오류가 발생)/,
  /^(?:http(?:\/\d(?:\.\d)?)? ?)?(?:status )?(?:code )?[45]\d\d:? (?:bad gateway|internal server error|service (?:temporarily )?unavailable|gateway time-?out|too many requests|bad request|unauthorized|forbidden|not found|request time-?out|payload too large|overloaded)/,
  /^(?:bad gateway|internal server error|service (?:temporarily )?unavailable|too many requests|rate limit (?:exceeded|reached)|upstream (?:connect|request)|connection (?:refused|reset|timed out|error|aborted)|request (?:failed|timed out|aborted)|(?:read|connect) ?timeout|traceback \(most recent)/,
  /^(?:<!doctype html|<html|<\?xml)/,
  /^[{[]\s*"?(?:error|errors|message|detail|status|code|type)"?\s*:/,
  /^(?:null|undefined|none|nan|true|false|\[object object\]|\{\s*\}|\[\s*\])$/,
  /^(?:you(?:'ve| have)? exceeded your|your (?:credit|account|api key|quota)|invalid (?:api|request|x-api-key)|incorrect api key|context_length_exceeded|maximum context length|this model's maximum)/,
  /^the (?:model|server|engine|service|system) (?:is|was|'[^']{1,60}' does) (?:currently )?(?:overloaded|unavailable|busy|down|not exist|not found)/,
];
