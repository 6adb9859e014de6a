import {
  assignment,
  choice,
  exam,
  math,
  numeric,
  paragraph,
  pythonLab,
  quiz,
  resources,
  text,
  trueOrFalse,
  video,
} from "./content.ts";
import type { SeedCourse } from "./universities.ts";

export const signals: SeedCourse = {
  code: "EE-101",
  title: "Introduction to Signals",
  description: "Signals in time and in frequency, with as little mathematics as honesty allows.",
  level: "UNDERGRADUATE",
  creditHours: 6,
  department: "EE",
  subject: "signals",
  prerequisites: [],
  modules: [
    {
      type: "UNIT",
      title: "Signals in time",
      description: "What a signal is, and what can be done to one.",
      items: [
        text(
          {
            title: "What is a signal?",
            description: "A quantity that varies with time and carries information.",
            minutes: 10,
          },
          paragraph("A signal is a function of time: the pressure at a microphone, the voltage on a wire."),
          math("x(t) = A \\cos(2 \\pi f t + \\varphi)"),
          paragraph("Amplitude A says how strong, frequency f how fast, and phase φ where it begins."),
        ),
        video(
          {
            title: "Shifting and scaling",
            description: "What x(t − 1), x(2t) and x(−t) look like.",
            minutes: 9,
          },
          "ee101-shifting",
          [
            "Subtracting one from the time moves the picture to the right, not to the left.",
            "Doubling the time squeezes the picture to half its width.",
            "Negating the time mirrors it.",
          ],
        ),
        quiz(
          { title: "Check: time shifts", description: "Three questions about moving a signal.", minutes: 6 },
          choice(
            "Which signal is x(t) delayed by 2 seconds?",
            ["x(t + 2)", "x(t − 2)", "x(2t)"],
            "x(t − 2)",
            "What x did at 0, the new signal does at 2.",
          ),
          choice(
            "A cosine of 50 Hz has a period of",
            ["0.02 s", "0.05 s", "50 s"],
            "0.02 s",
            "The period is one divided by the frequency.",
          ),
          trueOrFalse("x(2t) lasts half as long as x(t).", true, "Time runs twice as fast."),
        ),
      ],
    },
    {
      type: "UNIT",
      title: "Signals in frequency",
      description: "Every signal as a sum of cosines.",
      items: [
        text(
          {
            title: "The idea of the Fourier series",
            description: "Why a square wave is a sum of sines.",
            minutes: 15,
          },
          paragraph(
            "Add sines of the odd multiples of one frequency, each weaker than the last, and corners appear.",
          ),
          math("x(t) = \\frac{4}{\\pi} \\sum_{k\\ \\text{odd}} \\frac{1}{k} \\sin(2 \\pi k f t)"),
        ),
        resources(
          { title: "Hear it", description: "Sounds and pictures of common spectra.", minutes: 20 },
          {
            label: "Spectra of instruments",
            url: "https://media.northgate.example/ee101-spectra.pdf",
            kind: "pdf",
          },
          {
            label: "The square wave, built up",
            url: "https://media.northgate.example/ee101-square.mp4",
            kind: "video",
          },
        ),
        assignment(
          {
            title: "A spectrum of your own",
            description: "Record a sound and describe its spectrum.",
            minutes: 90,
          },
          "Record five seconds of a steady sound, plot its spectrum, and explain the three strongest lines.",
          ["The recording is described", "The plot has units", "The explanation names the fundamental"],
        ),
      ],
    },
    {
      type: "UNIT",
      title: "Examination",
      description: "Half an hour, once, without the tutor.",
      items: [
        exam(
          { title: "Signals: the exam", description: "Three questions over both units.", minutes: 30 },
          numeric("What is the period of a sine of 250 Hz, in milliseconds?", 4, 0.01, "1 / 250 s is 4 ms."),
          choice(
            "Which harmonics does a symmetric square wave have?",
            ["the odd ones", "the even ones", "all of them"],
            "the odd ones",
            "The even ones would break its symmetry.",
          ),
          trueOrFalse("Every periodic signal is a single sine.", false, "It is a sum of many."),
        ),
      ],
    },
  ],
};

export const signalProcessing: SeedCourse = {
  code: "EE-201",
  title: "Digital Signal Processing",
  description: "Sampling, aliasing and digital filters, with a laboratory.",
  level: "INTERMEDIATE",
  creditHours: 6,
  department: "EE",
  subject: "signals",
  prerequisites: [
    { code: "EE-101", type: "STRICT" },
    { code: "CS-101", type: "RECOMMENDED" },
  ],
  modules: [
    {
      type: "UNIT",
      title: "Sampling",
      description: "From a curve to a list of numbers, and back.",
      items: [
        text(
          {
            title: "Sampling and aliasing",
            description: "How often is often enough, and what happens below.",
            minutes: 15,
          },
          paragraph(
            "A signal without frequencies above B is known completely from more than 2B samples a second.",
          ),
          math("f_s > 2 B"),
          paragraph("Sampled too slowly, a high frequency passes for a low one: that is aliasing."),
        ),
        pythonLab(
          {
            title: "Hearing aliases",
            description: "Sample a sweep at three rates and predict what is heard.",
            minutes: 60,
          },
          { "sweep.py": "student_visible", "test_rates.py": "hidden_test" },
        ),
      ],
    },
  ],
};
