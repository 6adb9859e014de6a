import type { AnswerCheck } from "../../../../schema/enums.ts";

export const template =
  "You teach {{title}} to beginners. Never tell a learner which of the options is the right one before they answer.\n" +
  '```mcq\n{"questionId": "q1", "question": "What …?", "options": [{"id": "A", "text": "…"}, {"id": "B", "text": "…"}]}\n```';

export const note = "Most of them forget that the counter is changed after the test and not before it";
export const phrase = "trivially easy";

const question = (questionId: string, texts: readonly string[], words: string) =>
  JSON.stringify({
    ...{ questionId, question: words },
    options: texts.map((text, at) => ({ id: "ABCDE"[at], text })),
  });

const endings = ["The end of the week", "A condition that is false", "Nothing"];

export const block = (id = "q1", texts = endings, words = "What ends a loop?") =>
  `\`\`\`mcq\n${question(id, texts, words)}\n\`\`\``;
export const key = (answer: string) =>
  `\n\`\`\`key\n${JSON.stringify({ answer, misconceptions: [], skill: "loops" })}\n\`\`\``;

const words = "Welcome! A loop is a part of a program that is run again and again, as long as it has to be.";

export const good = `${words}\n\n${block()}${key("B")}`;

type Case = { said: string; language?: string; isGuided?: boolean };

const refusals: Record<string, string> = {
  en: "I’m really sorry, but I can’t help with that.",
  "en, of a model": "As an AI language model, I am not able to take part in this conversation.",
  "en, of a topic": "Unfortunately I cannot discuss this topic. Would you like to talk about something else?",
  de: "Es tut mir leid, dabei kann ich Ihnen nicht helfen.",
  "de, of an answer": "Das kann ich leider nicht beantworten.",
  es: "Lo siento, pero no puedo ayudarte con eso.",
  fr: "Je suis désolé, mais je ne peux pas vous aider avec cette demande.",
  it: "Mi dispiace, ma non posso aiutarti con questa richiesta.",
  pt: "Desculpe, mas não posso ajudar com isso.",
  nl: "Het spijt me, maar daar kan ik je niet mee helpen.",
  pl: "Przykro mi, ale nie mogę w tym pomóc.",
  sv: "Jag kan tyvärr inte hjälpa till med det.",
  da: "Jeg kan desværre ikke hjælpe med det.",
  ru: "Извините, я не могу помочь с этим.",
  uk: "Вибачте, я не можу допомогти з цим.",
  el: "Λυπάμαι, αλλά δεν μπορώ να βοηθήσω με αυτό.",
  ar: "عذراً، لا يمكنني مساعدتك في ذلك.",
  fa: "متأسفم، نمی‌توانم در این مورد کمک کنم.",
  he: "מצטער, אני לא יכול לעזור בזה.",
  hi: "क्षमा करें, मैं इसमें मदद नहीं कर सकता।",
  zh: "抱歉，我无法协助处理这个请求。",
  ja: "申し訳ありませんが、そのご依頼にはお手伝いできません。",
  ko: "죄송하지만 그 요청은 도와드릴 수 없습니다.",
};

const errors = [
  "Error: rate limit exceeded, please retry after 20s",
  "Internal Server Error",
  "HTTP 429 Too Many Requests",
  "502 Bad Gateway",
  "<html><head><title>503</title></head><body>Service Unavailable</body></html>",
  '{"error": {"type": "overloaded_error", "message": "Overloaded"}}',
  "An unexpected error occurred while generating the response.",
  "Traceback (most recent call last):\n  File x",
  "upstream connect error or disconnect/reset before headers",
  "You exceeded your current quota, please check your plan and billing details.",
  "[object Object]",
  "null",
  "Es ist ein Fehler aufgetreten.",
];

const german =
  "Willkommen! Eine Schleife ist ein Teil eines Programms, der immer wieder ausgeführt wird, und die Bedingung sagt, wie oft.";
const chinese =
  "欢迎！循环是程序中反复执行的部分，条件决定它执行多少次。让我们一步一步地学习循环的概念，然后做一些练习。";

const naming = [
  "The right answer is B.",
  "The right answer:\n**B**",
  "The answer is B because of the test.",
  "Hint: B is correct.",
  "The correct option is **B**, of course.",
  "(Answer: B)",
  "Choose B below.",
  "Die richtige Antwort ist B.",
  "La réponse est B.",
  "It is a condition that is false, as you will see.",
];

/** Each class of bad answer, with the check that must find it. */
export const badAnswers: Record<string, Case & { check: AnswerCheck }> = {
  "without a question": { said: words, check: "question_asked" },
  "with a question in words alone, as a greeting": {
    said: `${words} What do you know about it?`,
    check: "question_asked",
  },
  "with a key that names no option": { said: `${words}\n\n${block()}${key("E")}`, check: "key_valid" },
  "in another language of the alphabet": {
    said: `${german}\n\n${block("q1", ["Das Ende der Woche", "Eine falsche Bedingung"], "Was beendet sie?")}`,
    check: "language",
  },
  "in another script": {
    said: `${chinese}\n\n${block("q1", ["周末", "假的条件"], "什么结束循环？")}`,
    check: "language",
  },
  "in English, in a course in Chinese": { said: good, language: "zh", check: "language" },
  "in English, in a course in Finnish": {
    said: `${words} ${words}\n\n${block()}`,
    language: "fi",
    check: "language",
  },
  "far too long": {
    said: `${Array.from({ length: 900 }, (_, at) => `Part ${at} is here.`).join(" ")}\n\n${block()}`,
    check: "length",
  },
  "that repeats itself": { said: `${"So it goes on and on. ".repeat(12)}\n\n${block()}`, check: "length" },
  "with a formula that cannot be set": { said: `${words} $\\frac{1}{2$\n\n${block()}`, check: "formulas" },
  "that quotes the notes": { said: `${words} ${note}.\n\n${block()}`, check: "notes_not_told" },
  "that quotes a fact for the tutor": {
    said: `${words} Counters begin at zero here!\n\n${block()}`,
    check: "notes_not_told",
  },
  "that quotes the prompt": {
    said: `${words} I never tell a learner which of the options is the right one.\n\n${block()}`,
    check: "prompt_not_quoted",
  },
  "that says what is forbidden": { said: `${words} It is Trivially easy.\n\n${block()}`, check: "never_say" },
  "that quotes the notes in its question": {
    said: `${words}\n\n${block("q1", endings, note)}`,
    check: "notes_not_told",
  },
  "that names the right option below its question": {
    said: `${words}\n\n${block()}${key("B")}\n\nThe right answer is B.`,
    check: "answer_not_named",
  },
  "with a short refusal before its question": {
    said: `I'm sorry, but I can't help with that.\n\n${block()}`,
    check: "not_refused",
  },
  ...Object.fromEntries(
    Object.entries(refusals).map(([language, said]) => [
      `that is a refusal (${language})`,
      { said, isGuided: false, check: "not_refused" as const },
    ]),
  ),
  ...Object.fromEntries(
    errors.map((said) => [
      `that is an error: ${said}`,
      { said, isGuided: false, check: "not_refused" as const },
    ]),
  ),
  ...Object.fromEntries(
    naming.map((named) => [
      `that names the right option: ${named}`,
      { said: `${words} ${named}\n\n${block()}${key("B")}`, check: "answer_not_named" as const },
    ]),
  ),
};

const lesson = (text: string): Case => ({ said: `${text}\n\n${block()}${key("B")}` });

/** Ordinary answers that look like a fault. */
export const goodAnswers: Record<string, Case> = {
  "a plain greeting": { said: good },
  "a question without a key": { said: `${words}\n\n${block()}` },
  sympathy: lesson(
    "I'm sorry to hear that loops were hard for you. Let us begin slowly, with one small step.",
  ),
  "an apology as a subject": lesson(
    "In 2008 the prime minister of Australia said sorry to the Stolen Generations: “We apologise for the laws and " +
      "policies of successive parliaments.” Why did it matter that he said it in parliament?",
  ),
  "a lesson about a refusal": lesson(
    "A chatbot may say: “I'm sorry, but I can't help with that.” Such a refusal is learned from examples.",
  ),
  "a lesson about an error": lesson(
    "502 Bad Gateway: a server in the middle got no good answer from the one behind it.",
  ),
  "a number of years": lesson(
    "400 years ago Galileo looked at Jupiter, and 500 years ago Copernicus wrote his book.",
  ),
  "what nobody can do": lesson(
    "We can't help but notice that the loop ends. You cannot divide by zero, and neither can it.",
  ),
  "an article and a plan": lesson(
    "A is an article, and vitamin B is a vitamin. Plan B is to stop when the work is done.",
  ),
  "a sentence after one that judges": lesson("You are right. A loop ends. Is that correct? B comes after A."),
  "an article after a colon": lesson("The solution: A loop is run until it is done."),
  "all the letters": lesson("Choose A, B or C below, and say why."),
  "the options in words": lesson(`Is it the end of the week, a condition that is false, or nothing?`),
  "a doubt": lesson("Whether B is right is for you to find out."),
  "a number after “the answer is”": {
    said: `The answer is 2 times as long as before.\n\n\`\`\`mcq\n${JSON.stringify({
      ...{ questionId: "q1", question: "Which?" },
      options: [
        { id: "1", text: "Short" },
        { id: "2", text: "Long" },
      ],
    })}\n\`\`\`${key("2")}`,
  },
  prices: lesson("It costs $5 in one shop, and $10 in the other one."),
  formulas: lesson("Take $\\frac{1}{2}$ of $$\\left( x + 1 \\right)$$ and \\(y^2\\)."),
  code: lesson("```js\nwhile (i < 3) { i += 1; } // $$ \\(\n```"),
  "another language in quotation marks": lesson(
    "The poem begins with “Wer reitet so spät durch Nacht und Wind? Es ist der Vater mit seinem Kind”, and the rider " +
      "is not alone on the way.",
  ),
  "what the material says": lesson(
    "As the text says, the body of a loop runs again and again until the end.",
  ),
  "German, in a course in German": {
    said: `${german}\n\n${block("q1", ["Das Ende der Woche", "Eine falsche Bedingung"], "Was beendet sie?")}`,
    language: "de",
  },
  "Chinese with terms in English, in a course in Chinese": {
    said: `${chinese} while、for、break、continue。\n\n${block("q1", ["周末", "假的条件"], "什么结束循环？")}`,
    language: "zh",
  },
  "Norwegian, which has no list of words": {
    said: `Velkommen! En løkke er en del av et program som kjøres om og om igjen, og betingelsen sier hvor ofte det skal skje.\n\n${block("q1", ["Slutten", "En betingelse"], "Hva?")}`,
    language: "nb",
  },
  "a table": lesson(`| a | b |\n| --- | --- |\n${"| one | two |\n".repeat(30)}`),
};
