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
  "en, of a request": "I cannot fulfill your request.",
  "en, of a system": "I'm not programmed to assist with that.",
  "en, of a kind of talk": "I can't engage in discussions about this.",
  "en, of something": "Sorry, that's not something I can help with.",
  "en, of comfort": "I'm not comfortable answering questions about it.",
  "en, of a preference": "I'd prefer not to continue this conversation.",
  "en, of an AI": "I'm just an AI, so I cannot take part in this lesson.",
  "en, of a filter": "The response was filtered due to the prompt triggering the content management policy.",
  "en, of a policy": "This content may violate our usage policies.",
  "en, of a duty": "I have to decline this one.",
  "de, of a request": "Diese Anfrage kann ich leider nicht bearbeiten.",
  "de, of a talk": "Darüber möchte ich nicht sprechen.",
  "es, of a request": "Lo siento, no me es posible responder a esa pregunta.",
  "fr, of a request": "Désolé, je ne peux pas traiter cette demande.",
  "it, of a request": "Mi spiace, non mi è possibile rispondere.",
  tr: "Üzgünüm, bu konuda yardımcı olamam.",
  cs: "Omlouvám se, ale s tím vám nemohu pomoci. Nemohu vám s tím pomoci.",
  sk: "Prepáčte, nemôžem vám s tým pomôcť.",
  hu: "Sajnálom, de ebben nem tudok segíteni.",
  ro: "Îmi pare rău, dar nu te pot ajuta. Nu pot să te ajut.",
  fi: "Olen pahoillani, mutta en voi auttaa tässä.",
  nb: "Beklager, men jeg kan ikke hjelpe med det.",
  vi: "Xin lỗi, tôi không thể giúp bạn với yêu cầu này.",
  id: "Maaf, saya tidak dapat membantu dengan permintaan itu.",
  th: "ขออภัย ฉันไม่สามารถช่วยเรื่องนี้ได้",
  ca: "Ho sento, no puc ajudar amb això.",
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
  "No response generated.",
  "[blocked]",
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
  '{"answer": "B"}',
  "<table><tr><td>answer</td><td>B</td></tr></table>",
  "| Answer | B |",
  "answer,B",
  "La réponse est B.",
  "La respuesta correcta es B.",
  "A resposta é B.",
  "La risposta giusta è B.",
  "Poprawna odpowiedź: B.",
  "Svaret är B.",
  "Správná odpověď je B.",
  "Правильный ответ: B.",
  "正确答案是B。",
  "正解はBです。",
  "정답은 B입니다.",
  "الإجابة الصحيحة هي B",
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
  ...Object.fromEntries(
    [
      "Most of them forget that a counter is changed after each test and not before it",
      "Most of them forget the counter is changed after a test and not before it",
      "Many of them forget that the counter gets changed after the test, and not before",
    ].map((edited) => [
      `that quotes the notes with a few other words: ${edited}`,
      { said: `${words} ${edited}.\n\n${block()}`, check: "notes_not_told" as const },
    ]),
  ),
  "that repeats words without a sentence": {
    said: `${words} ${"over and again ".repeat(40)}\n\n${block()}`,
    check: "length",
  },
  "that repeats Chinese without a sentence": {
    said: `${chinese}${"循环执行".repeat(60)}\n\n${block("q1", ["周末", "假的条件"], "什么结束循环？")}`,
    language: "zh",
    check: "length",
  },
  "that names an option as right, without a key": {
    said: `${words} The right answer is B.\n\n${block()}`,
    check: "answer_not_named",
  },
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
  "a list that counts": {
    said: `${words} ${Array.from({ length: 60 }, (_, at) => `item ${at}`).join(", ")}\n\n${block()}`,
  },
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
  "the answers of exercises": lesson(
    "The answer to B is in the book, and the solution to part A is left to you.",
  ),
  "no answer in another alphabet": {
    said: `${chinese}答案是A还是B？请选择。\n\n${block("q1", ["周末", "假的条件"], "什么结束循环？")}${key("A")}`,
    language: "zh",
  },
  "what a thing cannot do": {
    said: `Eine Schleife kann dir dabei nicht helfen, und das Programm kann es auch nicht.\n\n${block("q1", ["Das Ende der Woche", "Eine falsche Bedingung"], "Was beendet sie?")}`,
    language: "de",
  },
  "what a thing cannot do, in Dutch": {
    said: `De computer kan je hier niet mee helpen, want hij weet niet wat het doel is.\n\n${block("q1", ["Het einde", "Een conditie"], "Wat stopt de lus?")}`,
    language: "nl",
  },
  "what a method cannot do, in Chinese": {
    said: `${chinese}这种写法无法帮助程序结束。\n\n${block("q1", ["周末", "假的条件"], "什么结束循环？")}`,
    language: "zh",
  },
  "a filter of a circuit": lesson(
    "The response is filtered by the capacitor, and the message is blocked by a wall.",
  ),
  "a person who refuses": lesson(
    "In 1955 Rosa Parks refused to stand up. She could not and would not help that law.",
  ),
  "an idea of the notes in other words": lesson(
    "Look at the order: first comes the test, and then the counter changes. What follows from that order?",
  ),
  ...Object.fromEntries(
    (
      [
        ["th", "ยินดีต้อนรับสู่บทเรียน ลูปคือส่วนของโปรแกรมที่ทำงานซ้ำแล้วซ้ำอีกจนกว่าจะสิ้นสุด"],
        ["ka", "კეთილი იყოს თქვენი მობრძანება. ციკლი არის პროგრამის ნაწილი, რომელიც მეორდება."],
        ["hy", "Բարի գալուստ։ Ցիկլը ծրագրի մաս է, որը կրկնվում է, քանի դեռ պայմանը ճիշտ է։"],
        ["bn", "স্বাগতম! লুপ হলো প্রোগ্রামের একটি অংশ যা শর্ত সত্য থাকা পর্যন্ত বারবার চলে।"],
        ["ta", "வரவேற்கிறோம்! சுழற்சி என்பது நிபந்தனை உண்மையாக இருக்கும் வரை மீண்டும் இயங்கும் பகுதி."],
        ["ur", "خوش آمدید! لوپ پروگرام کا وہ حصہ ہے جو شرط پوری ہونے تک بار بار چلتا ہے۔"],
        ["sr", "Добро дошли! Петља је део програма који се понавља док је услов тачан."],
        ["sr", "Dobro došli! Petlja je deo programa koji se ponavlja dok je uslov tačan."],
        ["kk", "Қош келдіңіз! Цикл — шарт ақиқат болғанша қайталанатын бағдарлама бөлігі."],
        ["mr", "स्वागत आहे! लूप हा प्रोग्रामचा भाग आहे जो अट खरी असेपर्यंत पुन्हा पुन्हा चालतो."],
        ["am", "እንኳን ደህና መጡ! ሉፕ ሁኔታው እውነት እስከሆነ ድረስ የሚደገም የፕሮግራም ክፍል ነው።"],
      ] as const
    ).map(([language, said]) => [
      `a course in ${language}: ${said.slice(0, 5)}`,
      { said: `${said}\n\n${block("q1", [said.slice(0, 12), said.slice(12, 24)], said)}`, language },
    ]),
  ),
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
