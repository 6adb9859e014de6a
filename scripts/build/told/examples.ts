import type { ContentContext } from "../../../lib/tutor/chat/content-context.ts";
import type { Exchange } from "../../../lib/tutor/chat/history.ts";
import type { PromptContext } from "../../../lib/tutor/chat/llm-request.ts";

/** A topic of each content type, with all optional tutor data. */
const data: Record<string, Record<string, unknown>> = {
  text: {
    blocks: [
      { type: "heading", text: "What stands still" },
      { type: "paragraph", text: "A standing wave is the sum of two waves that run against each other." },
      { type: "math", latex: "y = 2A \\sin(kx) \\cos(\\omega t)" },
      { type: "image", url: "https://example.edu/string.png", caption: "A string with three nodes" },
    ],
  },
  video: {
    url: "https://example.edu/waves.mp4",
    transcript: {
      segments: [
        { start: 0, end: 6, text: "Look at the rope." },
        { start: 760, end: 766, text: "Here nothing moves: that is a node." },
      ],
    },
  },
  quiz: { quiz_mode: "practice", question_pool_id: 7 },
  engineering_lab: {
    runtime: "python-data-science",
    entrypoint: "pytest nodes_test.py",
    files: [
      { path: "nodes.py", role: "student_visible" },
      { path: "nodes_test.py", role: "hidden_test" },
    ],
  },
  assignment: {
    instructions: "Draw the first three standing waves of a string.",
    criteria: ["Nodes are marked", "Lengths are right"],
  },
  resource: { resources: [{ label: "Waves on strings", url: "https://example.edu/strings" }] },
  external_tool: { lti_tool_id: 1, url: "https://tool.example.com/strings", max_points: 10 },
};

export const exampleTypes = Object.keys(data);

const notes = (words: string) => ({
  notes: words,
  key_facts: ["Nodes are half a wavelength apart"],
  common_errors: ["Takes a node for where the string moves most"],
  never_say: ["The answer to exercise 4"],
});

const pool = [
  {
    kind: "single_choice",
    question: "How far apart are two nodes?",
    options: [
      { id: "A", text: "A wavelength" },
      { id: "B", text: "Half a wavelength" },
    ],
    answer: { option_id: "B" },
    explanation: "The sine has two zeros in a wavelength.",
  },
];

export const topicOf = (type: string): ContentContext => ({
  content_item_id: 1,
  module_id: 1,
  course_id: 1,
  university_id: 1,
  title: "Standing waves",
  description: "Where a string moves, and where it does not",
  content_type: type,
  data_json: data[type] ?? {},
  module_title: "Waves",
  course_title: "Physics",
  course_code: "PH-101",
  language: "en",
  level: "undergraduate",
  tutor: {
    item_notes: notes("Let them draw the string before they calculate."),
    course_notes: { notes: "Units are always asked for.", key_facts: [], common_errors: [], never_say: [] },
    course_line: "Call the learner by no name.",
    item_line: "Use a rope as the picture.",
    ...(type === "quiz" && { pool }),
  },
});

export const greeting: Exchange = {
  question: "Start.",
  answer:
    'Welcome! Look at a string that is held at both ends.\n\n```mcq\n{"questionId":"q1","question":"What does a node do?","options":[{"id":"A","text":"It moves most"},{"id":"B","text":"It stands still"}]}\n```',
  key: {
    because: "Both waves cancel there at all times.",
    answer: "B",
    misconceptions: [{ id: "A", text: "Takes a node for where the string moves most" }],
    skill: "Nodes",
  },
};

export const second: Exchange = {
  question: "",
  answer:
    'Look at the ends of the string: do they move?\n\n```mcq\n{"questionId":"q2","question":"Where is a node?","options":[{"id":"A","text":"At an end"},{"id":"B","text":"In the middle of a swing"}]}\n```',
  key: { answer: "A", misconceptions: [{ id: "B", text: "Takes the middle for a node" }], skill: "Nodes" },
};

/** Context that is added only to private turns. */
export const privately: Required<Pick<PromptContext, "passages" | "results">> = {
  passages: [
    {
      number: 1,
      title: "Resonance",
      place: { block: 2 },
      body: "At resonance a small push moves a heavy swing far.",
      perhaps: true,
    },
  ],
  results: {
    attempts: [
      {
        number: 1,
        state: "graded",
        score: 1,
        most: 2,
        passed: false,
        missed: [
          {
            question: "How far apart are two nodes?",
            options: [{ id: "A", text: "A wavelength" }],
            response: "A",
          },
        ],
      },
    ],
    work: [{ number: 1, state: "submitted" }],
    steps: {
      questions: 3,
      right_at_once: 2,
      missed: [
        {
          question: "What makes a node?",
          options: [{ id: "B", text: "Waves that add up" }],
          response: "B",
        },
      ],
    },
  },
};
