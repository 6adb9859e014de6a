import type { Move } from "../../lib/tutor/dialogue/moves.ts";

export type PracticeQuestion = {
  question: string;
  options: Record<"A" | "B" | "C", string>;
  right: "A" | "B" | "C";
  /** Misconception behind each wrong option. */
  believed: Partial<Record<"A" | "B" | "C", string>>;
  skill: string;
  because: string;
  /** Absent: the hint for any question. */
  hint?: string;
};

/** Questions for any topic; `{topic}` is its title. */
const practiceQuestions: readonly PracticeQuestion[] = [
  {
    question: "You meet {topic} for the first time. Which first step helps most?",
    options: {
      A: "Learn the definition by heart, word for word",
      B: "Work through one small example and ask what it shows",
      C: "Skip it and come back before the examination",
    },
    right: "B",
    believed: { A: "To know the words is to understand", C: "Learning can wait until it is needed" },
    skill: "Beginning with an example",
    because:
      "A small example gives the definition something to hold on to; the exact words come more easily afterwards.",
  },
  {
    question: "One detail of {topic} does not fit what you expected. What does that tell you?",
    options: {
      A: "Your picture of it needs a correction, and you now know where",
      B: "The material must contain a mistake",
      C: "The detail is an exception and can be left out",
    },
    right: "A",
    believed: { B: "What does not fit is somebody else's mistake", C: "Exceptions need no explanation" },
    skill: "Learning from a surprise",
    because:
      "A surprise marks the exact place where your picture and the subject part ways, which is where you learn most.",
  },
  {
    question: "How do you best find out whether you have understood {topic}?",
    options: {
      A: "Read the material once more, slowly",
      B: "Compare your notes with a friend's notes",
      C: "Explain it aloud without notes and see where you stop",
    },
    right: "C",
    believed: { A: "What reads easily is known", B: "Two notes that agree are right" },
    skill: "Testing oneself",
    because:
      "Reading again feels easy and shows little; explaining from memory shows at once which step is missing.",
  },
  {
    question: "You have solved one exercise on {topic}. Which exercise should come next?",
    options: {
      A: "The same one again, until it goes quickly",
      B: "One that looks different but rests on the same idea",
      C: "The hardest one in the book",
    },
    right: "B",
    believed: { A: "Speed is understanding", C: "Only what is hard teaches" },
    skill: "Choosing what to practise",
    because:
      "A changed surface makes you look for the idea underneath, and the idea is what you will need again.",
  },
];

/** Openings of a topic, used in turn; `{topic}` is its title. */
const welcomes: readonly string[] = [
  "Welcome! Today we look at {topic} together.",
  "Good to see you! {topic} is what we look at today.",
  "Hello! Let us find out together what {topic} is about.",
];

/** Reactions to a correct choice, in turn. */
const rightChoices: readonly string[] = [
  "Yes, {right} is a good choice.",
  "Indeed, {right} it is.",
  "Well thought: {right} is right.",
];

/** Reactions to other choices, in turn. */
const wrongChoices: readonly string[] = [
  "I see why “{answer}” is tempting. Look again at {right}, though.",
  "“{answer}” is what many choose first. Compare it with {right}.",
  "Not quite “{answer}”: {right} comes closer.",
];

/** Beginnings of a hint, in turn. */
const encouragements: readonly string[] = ["A fair question.", "Let us see.", "Worth a thought."];

/** Answers to free text: a question back, an approach, then a clearer hint. */
const socraticHints: readonly string[] = [
  "Good that you ask. Before I say anything: which part of {topic} is already clear to you, and where exactly does it stop being clear? Try to put that point into one sentence. Often the missing step is the one just before it.",
  "Let us take it apart. Imagine the simplest case of {topic} that you can think of, with small numbers or a single person. What would you expect to happen there, and why? Compare that with your question: what is different?",
  "You are close. Write down what you know and what you want to know about {topic}, one below the other. Which rule or definition from the material connects the two lines? Tell me the first step you would try, even if you are not sure of it.",
];

/** Help with the open question; `{topic}` is the topic's title. */
const helps: Readonly<Record<Move, string>> = {
  "@hint": "A hint: ask of each option what you would know afterwards that you did not know before.",
  "@dont_know":
    "That is a fine place to start from. Learning {topic} means to build a picture and to test it: what shows you where the picture is wrong helps more than what only feels easy.",
  "@example":
    "Think of learning to ride a bicycle: reading about balance changes little, and the first two metres show at once what is missing. Which option is like the first two metres?",
  "@simpler": "In short: which of these shows you the most about {topic}?",
  "@my_words":
    "Gladly. In your own words, write below what {topic} is about, why it works, and where you would use it.",
};

/** Prefix for prompts that ask for long answers: six times as long as most answers. */
export const digression = [
  "Before we begin, let me say at some length where all of this comes from, who thought of it first, and what they had",
  "thought before. It is a long story with many names, of which none will be asked for, and it is told from its very",
  "beginning, since whoever knows the beginning may follow the middle, and whoever follows the middle may wait for the end.",
  "There were people who thought otherwise, and they had their reasons, which would fill a page of their own.",
  "Let me say the same once more in other words, for those who like other words better.",
]
  .join(" ")
  .concat("\n\n")
  .repeat(6)
  .trim();

/** The wording of an answer in one language. */
export type TutoringTexts = {
  practiceQuestions: readonly PracticeQuestion[];
  welcomes: readonly string[];
  prepared: string;
  inShort: string;
  smallSteps: string;
  route: string;
  firstQuestion: string;
  further: string;
  rightChoices: readonly string[];
  wrongChoices: readonly string[];
  encouragements: readonly string[];
  socraticHints: readonly string[];
  tried: string;
  cited: string;
  hintBegins: string;
  helps: Readonly<Record<Move, string>>;
};

export const english: TutoringTexts = {
  ...{ practiceQuestions, welcomes, rightChoices, wrongChoices, encouragements, socraticHints, helps },
  prepared:
    "(I am the practice tutor: my answers are prepared. A real model speaks once its key is configured.)",
  inShort: "In short: {summary}",
  smallSteps: "We take {topic} in small steps: one idea, then one question.",
  route:
    "Think of it as learning a route through a town: first one street that you know well, then what lies around it.",
  firstQuestion: "Here is a first question to warm up.",
  further: "Let us go one step further.",
  hintBegins: "A hint:",
  tried: "What you tried before is a good place to start from.",
  cited: "Have a look at “{title}” {mark}: does it say something about this?",
};
