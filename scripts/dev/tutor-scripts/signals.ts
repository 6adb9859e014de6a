import { ask, type TopicScript } from "./script.ts";

const shifts: TopicScript = {
  titles: ["Shifting and scaling", "Check: time shifts"],
  intro: "We change the time inside x(t) and watch what happens to its picture.",
  example:
    "A lecture that starts at 9 is moved by x(t − 2): everything happens two hours later, so it starts at 11.",
  answer:
    "Follow one point of the picture: when does the new signal do what x did at time 0? That tells you where the point lies now.",
  questions: [
    ask(
      "Where does the picture of x(t − 2) lie, compared with x(t)?",
      ["2 to the left", "2 to the right", "Lower by 2"],
      "B",
      { A: "Subtracting moves to the left", C: "Subtracting from the time lowers the values" },
      {
        skill: "Shifting in time",
        hint: "At which time is t − 2 equal to 0?",
        because: "t − 2 is 0 at time 2, so what x did at 0 now happens 2 later.",
      },
    ),
    ask(
      "x(t) lasts from 0 to 4. How long does x(2t) last?",
      ["2", "8", "4"],
      "A",
      { B: "Doubling the time doubles the length", C: "Scaling the time changes only the height" },
      {
        skill: "Scaling time",
        hint: "At which time does 2t reach 4?",
        because: "2t reaches 4 at time 2: the signal runs twice as fast.",
      },
    ),
    ask(
      "What is x(−t + 3) at time 1?",
      ["x(4)", "x(−4)", "x(2)"],
      "C",
      { A: "The minus applies to nothing", B: "The minus applies to the shift too" },
      {
        skill: "Combining mirror and shift",
        hint: "Put 1 in for t before you look at the picture.",
        because: "−1 + 3 is 2, so the value is x(2).",
      },
    ),
  ],
};

const fourier: TopicScript = {
  titles: ["The idea of the Fourier series", "Signals: the exam"],
  intro: "A square wave looks nothing like a sine, and yet sines add up to it.",
  example:
    "Play a low note and, more softly, notes at 3 and 5 times its frequency. The sound gets sharper, and its picture gets corners.",
  answer:
    "Look at the symmetry: in the second half of its period, the square wave repeats its first half with the opposite sign. Only odd multiples do the same.",
  questions: [
    ask(
      "A square wave of 100 Hz is built from sines. Which comes after the sine of 100 Hz?",
      ["200 Hz", "300 Hz", "150 Hz"],
      "B",
      { A: "Every multiple of the frequency takes part", C: "Any frequency in between takes part" },
      {
        skill: "Finding harmonics",
        hint: "The sum runs over odd k. What follows 1?",
        because: "Only odd multiples take part, and 3 follows 1.",
      },
    ),
    ask(
      "How strong is the sine at 5 times the frequency, compared with the first?",
      ["Equally strong", "One twenty-fifth", "One fifth"],
      "C",
      { A: "All sines are equally strong", B: "The strength falls with the square of k" },
      {
        skill: "Reading coefficients",
        hint: "Look at the factor before the sine in the sum.",
        because: "The factor is 1/k, which is 1/5 for k = 5.",
      },
    ),
    ask(
      "You add more and more sines. What happens at the corners?",
      [
        "They get steeper, and a small overshoot stays",
        "They become perfect after a few sines",
        "Nothing changes",
      ],
      "A",
      { B: "A finite sum can jump", C: "Weak sines have no effect" },
      {
        skill: "Judging a finite sum",
        hint: "Can a sum of a few smooth curves jump?",
        because: "Each finite sum is smooth, so it overshoots next to the jump: the Gibbs phenomenon.",
      },
    ),
  ],
};

export const signalsScripts: readonly TopicScript[] = [
  shifts,
  fourier,
  {
    titles: ["What is a signal?"],
    intro: "A signal is a quantity that changes with time, and three numbers describe the simplest ones.",
    example: "The height of the water at a pier is a signal: one number for each moment, over the whole day.",
    answer:
      "Ask of each number in the formula what changes in the picture when the number grows: the height, the pace or the start.",
    questions: [
      ask(
        "Which of these is a signal?",
        ["The temperature in a room over a day", "The number 21", "A thermometer"],
        "A",
        { B: "A single value is a signal", C: "The instrument is the signal" },
        {
          skill: "Recognizing signals",
          hint: "Look for a quantity that has a value at each moment.",
          because:
            "A signal has a value at each time. One number has no time, and a thermometer only measures.",
        },
      ),
      ask(
        "x(t) = 3 cos(2π · 50 t). What does the 50 tell?",
        ["The signal is 50 high", "It starts at 50", "It repeats 50 times a second"],
        "C",
        { A: "The number in the cosine is the height", B: "The number in the cosine is the phase" },
        {
          skill: "Reading frequency",
          hint: "Compare with A cos(2πft + φ): at which letter is the 50?",
          because: "50 is at the place of f, the frequency in hertz.",
        },
      ),
      ask(
        "Two cosines differ only in their phase. What do you see?",
        ["One is higher", "One is shifted in time", "One is faster"],
        "B",
        { A: "Phase changes the amplitude", C: "Phase changes the frequency" },
        {
          skill: "Reading phase",
          hint: "The phase says where the cosine begins.",
          because: "The phase moves the start. Height and pace stay.",
        },
      ),
    ],
  },
  {
    titles: ["Hear it", "A spectrum of your own"],
    intro: "A spectrum shows which frequencies a sound contains, and how strong each of them is.",
    example: "Whistle, and the spectrum has one line. Sing the same note, and lines appear at its multiples.",
    answer: "Find the lowest line first, and check whether the other lines lie at its multiples.",
    questions: [
      ask(
        "A spectrum has lines at 98, 196 and 294 Hz. What is the fundamental?",
        ["98 Hz", "294 Hz", "196 Hz"],
        "A",
        { B: "The highest line is the fundamental", C: "The middle line is the fundamental" },
        {
          skill: "Finding the fundamental",
          hint: "Of which frequency are all three lines multiples?",
          because: "All lines are multiples of 98 Hz.",
        },
      ),
      ask(
        "The strongest line is at 196 Hz. Which note do people hear?",
        ["196 Hz, the strongest", "98 Hz, the fundamental", "Three notes"],
        "B",
        { A: "The strongest line is the pitch", C: "Each line is heard as a note" },
        {
          skill: "Relating spectrum and pitch",
          hint: "How often does the whole sound repeat in a second?",
          because: "The sound repeats 98 times a second, and the ear hears that as its pitch.",
        },
      ),
      ask(
        "What belongs on the horizontal axis of a spectrum?",
        ["Time in seconds", "Loudness in decibels", "Frequency in hertz"],
        "C",
        { A: "A spectrum is drawn over time", B: "Strength is the horizontal axis" },
        {
          skill: "Labeling a plot",
          hint: "Each line belongs to one frequency.",
          because: "A spectrum shows strength over frequency.",
        },
      ),
    ],
  },
  {
    titles: ["Sampling and aliasing", "Hearing aliases"],
    intro: "Samples are a list of numbers. The question is when they still tell the whole curve.",
    example:
      "In a film, a wheel that turns fast seems to turn slowly backwards: the camera takes too few pictures.",
    answer:
      "Compare the highest frequency with half of the sampling rate. What lies above it comes back below it.",
    questions: [
      ask(
        "A signal has no frequencies above 4 kHz. Which sampling rate is enough?",
        ["4 kHz", "9 kHz", "6 kHz"],
        "B",
        { A: "One sample per period is enough", C: "Any rate above the frequency is enough" },
        {
          skill: "Choosing a sampling rate",
          hint: "Twice the highest frequency is the limit.",
          because: "The rate must be above 2 · 4 kHz = 8 kHz.",
        },
      ),
      ask(
        "A tone of 7 kHz is sampled at 8 kHz. At which frequency is it heard?",
        ["7 kHz", "It is not heard", "1 kHz"],
        "C",
        { A: "Sampling keeps each frequency", B: "What is too fast disappears" },
        {
          skill: "Computing an alias",
          hint: "How far is the tone from the sampling rate?",
          because: "Its samples are those of a tone of 8 − 7 = 1 kHz.",
        },
      ),
      ask(
        "How do you prevent aliases?",
        [
          "Filter out high frequencies before sampling",
          "Filter them out after sampling",
          "Use larger numbers",
        ],
        "A",
        { B: "An alias can be removed later", C: "Precision prevents aliases" },
        {
          skill: "Preventing aliases",
          hint: "After sampling, can you still tell an alias from a real tone?",
          because: "In the samples an alias and a real tone are equal, so the filter must come before.",
        },
      ),
    ],
  },
];
