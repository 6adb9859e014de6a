import type { Move } from "./moves.ts";

/** The learner's request per move, and the rule for all moves, as the model receives them. */
type Requests = Record<Move, string> & { rule: string };

const en: Requests = {
  "@hint":
    "The learner asks for a hint. Give one that brings them a step nearer to the answer, and further than earlier hints.",
  "@dont_know":
    "The learner does not know. Explain the one step that they are missing, and leave the rest to them.",
  "@example": "The learner asks for an example. Solve a similar case that takes the same idea, step by step.",
  "@simpler":
    "The learner asks for simpler words. Say the question and what it is about again, in simpler words.",
  "@my_words":
    "The learner wants to explain the idea in their own words. Invite them to write it, and name two or three points that it should cover.",
  rule: "The question stays open: neither name nor quote its right option, rule none out, and do not ask it again. It is shown below your answer.",
};

const requests: Record<string, Requests> = {
  en,
  de: {
    "@hint":
      "Die lernende Person bittet um einen Hinweis. Gib einen, der sie einen Schritt näher an die Antwort bringt, und weiter als frühere Hinweise.",
    "@dont_know":
      "Die lernende Person weiß es nicht. Erkläre den einen Schritt, der ihr fehlt, und überlass ihr den Rest.",
    "@example":
      "Die lernende Person bittet um ein Beispiel. Löse einen ähnlichen Fall mit derselben Idee Schritt für Schritt.",
    "@simpler":
      "Die lernende Person bittet um einfachere Worte. Sag die Frage und worum es geht noch einmal einfacher.",
    "@my_words":
      "Die lernende Person will die Idee mit eigenen Worten erklären. Lade sie dazu ein und nenne zwei oder drei Punkte, die dazugehören.",
    rule: "Die Frage bleibt offen: Nenne und zitiere ihre richtige Option nicht, schließe keine aus und stell die Frage nicht noch einmal. Sie steht unter deiner Antwort.",
  },
  es: {
    "@hint":
      "La persona pide una pista. Da una que la acerque un paso a la respuesta y que vaya más lejos que las anteriores.",
    "@dont_know": "La persona no lo sabe. Explica solo el paso que le falta y déjale el resto.",
    "@example": "La persona pide un ejemplo. Resuelve paso a paso un caso parecido que use la misma idea.",
    "@simpler":
      "La persona pide palabras más sencillas. Di otra vez la pregunta y de qué trata, con palabras más sencillas.",
    "@my_words":
      "La persona quiere explicar la idea con sus propias palabras. Invítala a escribirla y nombra dos o tres puntos que debería incluir.",
    rule: "La pregunta sigue abierta: no nombres ni cites su opción correcta, no descartes ninguna y no la hagas otra vez. Aparece debajo de tu respuesta.",
  },
  fr: {
    "@hint":
      "La personne demande un indice. Donne-en un qui la rapproche d'un pas de la réponse et va plus loin que les précédents.",
    "@dont_know": "La personne ne sait pas. Explique la seule étape qui lui manque et laisse-lui le reste.",
    "@example":
      "La personne demande un exemple. Résous pas à pas un cas semblable qui repose sur la même idée.",
    "@simpler":
      "La personne demande des mots plus simples. Redis la question et son sujet avec des mots plus simples.",
    "@my_words":
      "La personne veut expliquer l'idée avec ses propres mots. Invite-la à l'écrire et nomme deux ou trois points à couvrir.",
    rule: "La question reste ouverte : ne nomme ni ne cite sa bonne réponse, n'en écarte aucune et ne la repose pas. Elle s'affiche sous ta réponse.",
  },
  it: {
    "@hint":
      "La persona chiede un suggerimento. Danne uno che la avvicini di un passo alla risposta e vada oltre i precedenti.",
    "@dont_know": "La persona non lo sa. Spiega solo il passaggio che le manca e lasciale il resto.",
    "@example":
      "La persona chiede un esempio. Risolvi passo per passo un caso simile che usa la stessa idea.",
    "@simpler":
      "La persona chiede parole più semplici. Ripeti la domanda e il suo argomento con parole più semplici.",
    "@my_words":
      "La persona vuole spiegare l'idea con parole sue. Invitala a scriverla e nomina due o tre punti da trattare.",
    rule: "La domanda resta aperta: non nominare né citare l'opzione giusta, non escluderne nessuna e non ripetere la domanda. Appare sotto la tua risposta.",
  },
  pt: {
    "@hint": "A pessoa pede uma dica. Dê uma que a aproxime um passo da resposta e vá além das anteriores.",
    "@dont_know": "A pessoa não sabe. Explique só o passo que lhe falta e deixe o resto para ela.",
    "@example": "A pessoa pede um exemplo. Resolva passo a passo um caso parecido que use a mesma ideia.",
    "@simpler":
      "A pessoa pede palavras mais simples. Diga de novo a pergunta e do que trata, com palavras mais simples.",
    "@my_words":
      "A pessoa quer explicar a ideia com as próprias palavras. Convide-a a escrever e cite dois ou três pontos a abordar.",
    rule: "A pergunta continua aberta: não nomeie nem cite a opção certa, não descarte nenhuma e não repita a pergunta. Ela aparece abaixo da sua resposta.",
  },
  nl: {
    "@hint":
      "De lerende vraagt om een hint. Geef er een die een stap dichter bij het antwoord brengt, en verder dan eerdere hints.",
    "@dont_know":
      "De lerende weet het niet. Leg alleen de stap uit die ontbreekt, en laat de rest aan de lerende over.",
    "@example":
      "De lerende vraagt om een voorbeeld. Los stap voor stap een vergelijkbaar geval op met hetzelfde idee.",
    "@simpler":
      "De lerende vraagt om eenvoudiger woorden. Zeg de vraag en waar die over gaat nog eens eenvoudiger.",
    "@my_words":
      "De lerende wil het idee in eigen woorden uitleggen. Nodig daartoe uit en noem twee of drie punten die erbij horen.",
    rule: "De vraag blijft open: noem of citeer de juiste optie niet, sluit er geen uit en stel de vraag niet opnieuw. Ze staat onder je antwoord.",
  },
  pl: {
    "@hint":
      "Osoba ucząca się prosi o wskazówkę. Daj jedną, która przybliża o krok do odpowiedzi i idzie dalej niż wcześniejsze.",
    "@dont_know": "Osoba ucząca się nie wie. Wyjaśnij tylko brakujący krok, a resztę zostaw jej.",
    "@example":
      "Osoba ucząca się prosi o przykład. Rozwiąż krok po kroku podobny przypadek oparty na tej samej idei.",
    "@simpler":
      "Osoba ucząca się prosi o prostsze słowa. Powiedz pytanie i jego temat jeszcze raz, prościej.",
    "@my_words":
      "Osoba ucząca się chce wyjaśnić ideę własnymi słowami. Zachęć ją do tego i wymień dwa lub trzy punkty do ujęcia.",
    rule: "Pytanie pozostaje otwarte: nie wymieniaj ani nie cytuj właściwej opcji, żadnej nie wykluczaj i nie zadawaj pytania ponownie. Widać je pod twoją odpowiedzią.",
  },
};

const byLanguage = new Map(Object.entries(requests));

export const moveLanguages = Object.keys(requests);

/**
 * A move's name, then the request in the course's language (ISO 639-1), else in English. Constant, so the
 * model's prompt cache stays valid.
 */
export function moveRequest(move: Move, language: string): string {
  const words = byLanguage.get(language.toLowerCase().split("-")[0] ?? "") ?? en;
  return `[${move}] ${words[move]} ${words.rule}`;
}

export const moveNameInRequest = (request: string): string | undefined =>
  /^\[(@[a-z_]+)\] /.exec(request)?.[1];
