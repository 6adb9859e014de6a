const texts = {
  en: "I can't answer that. Please ask in another way, or go on with the topic.",
  ar: "لا يمكنني الإجابة عن ذلك. اسأل بطريقة أخرى من فضلك، أو تابع الموضوع.",
  bg: "Не мога да отговоря на това. Попитай по друг начин или продължи с темата.",
  cs: "Na to nemohu odpovědět. Zeptej se prosím jinak, nebo pokračuj v tématu.",
  da: "Det kan jeg ikke svare på. Spørg på en anden måde, eller fortsæt med emnet.",
  de: "Darauf kann ich nicht antworten. Frag bitte anders, oder mach mit dem Thema weiter.",
  el: "Δεν μπορώ να απαντήσω σε αυτό. Ρώτησε με άλλον τρόπο ή συνέχισε με το θέμα.",
  es: "No puedo responder a eso. Pregúntalo de otra manera o continúa con el tema.",
  fa: "نمی‌توانم به این پاسخ دهم. لطفاً به شکل دیگری بپرس یا موضوع را ادامه بده.",
  fi: "En voi vastata tähän. Kysy toisella tavalla tai jatka aihetta.",
  fr: "Je ne peux pas répondre à cela. Pose la question autrement ou continue avec le sujet.",
  he: "אי אפשר לענות על זה. אפשר לשאול אחרת או להמשיך בנושא.",
  hi: "इसका उत्तर नहीं दिया जा सकता। कृपया दूसरे ढंग से पूछें या विषय पर आगे बढ़ें।",
  hu: "Erre nem tudok válaszolni. Kérdezd meg másképp, vagy folytasd a témát.",
  it: "Non posso rispondere a questo. Chiedilo in un altro modo o continua con l'argomento.",
  ja: "それにはお答えできません。別の聞き方をするか、このテーマを続けてください。",
  ko: "그 질문에는 답할 수 없습니다. 다르게 질문하거나 주제를 계속해 주세요.",
  nb: "Det kan jeg ikke svare på. Spør på en annen måte, eller fortsett med emnet.",
  nl: "Daar kan ik geen antwoord op geven. Vraag het anders, of ga verder met het onderwerp.",
  no: "Det kan jeg ikke svare på. Spør på en annen måte, eller fortsett med emnet.",
  pl: "Nie mogę na to odpowiedzieć. Zapytaj inaczej albo wróć do tematu.",
  pt: "Não posso responder a isso. Pergunte de outra forma ou continue com o tema.",
  ro: "Nu pot răspunde la asta. Întreabă altfel sau continuă cu tema.",
  ru: "Я не могу на это ответить. Спроси иначе или продолжай тему.",
  sv: "Det kan jag inte svara på. Fråga på ett annat sätt, eller fortsätt med ämnet.",
  tr: "Buna yanıt veremiyorum. Lütfen başka türlü sor ya da konuya devam et.",
  uk: "Я не можу на це відповісти. Запитай інакше або продовжуй тему.",
  zh: "我无法回答这个问题。请换一种方式提问，或继续学习本主题。",
};

const byLanguage = new Map<string, string>(Object.entries(texts));

/** English if the language (ISO 639-1) has none. */
export const refusalText = (language: string): string =>
  byLanguage.get(language.toLowerCase().split("-")[0] ?? "") ?? texts.en;
