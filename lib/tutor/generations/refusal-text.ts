const texts = {
  en: "I can't answer that. Please ask in another way, or go on with the topic.",
  de: "Darauf kann ich nicht antworten. Frag bitte anders, oder mach mit dem Thema weiter.",
  es: "No puedo responder a eso. Pregúntalo de otra manera o continúa con el tema.",
  fr: "Je ne peux pas répondre à cela. Pose la question autrement ou continue avec le sujet.",
  it: "Non posso rispondere a questo. Chiedilo in un altro modo o continua con l'argomento.",
  pt: "Não posso responder a isso. Pergunte de outra forma ou continue com o tema.",
  nl: "Daar kan ik geen antwoord op geven. Vraag het anders, of ga verder met het onderwerp.",
  pl: "Nie mogę na to odpowiedzieć. Zapytaj inaczej albo wróć do tematu.",
};

const byLanguage = new Map<string, string>(Object.entries(texts));

/** English if the language (ISO 639-1) has none. */
export const refusalText = (language: string): string =>
  byLanguage.get(language.toLowerCase().split("-")[0] ?? "") ?? texts.en;
