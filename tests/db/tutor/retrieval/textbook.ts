/** A chapter in passages, with the questions that each answers. */
export type Chapter = { title: string; passages: { text: string; asked: string[] }[] };

/**
 * Thirty passages on waves, heat and electricity with two learner questions each: one in the book's words,
 * one in the learner's.
 */
export const textbook: Chapter[] = [
  {
    title: "Waves on a string",
    passages: [
      {
        text: "A wave carries energy along a string without carrying the string itself: each piece only moves up and down about the place where it rests.",
        asked: [
          "Does a wave carry the string along with its energy?",
          "Why doesn't the rope travel away when I shake it?",
        ],
      },
      {
        text: "The wavelength is the distance between two neighbouring crests, and the frequency says how many crests pass a point in one second. Their product is the speed.",
        asked: [
          "How do wavelength and frequency give the speed?",
          "If more bumps go by each second, what gets shorter?",
        ],
      },
      {
        text: "A tighter string has faster waves, and a heavier string slower ones. That is why the thick strings of a guitar sound low and tuning a peg changes the pitch.",
        asked: [
          "Why do the thick strings of a guitar sound low?",
          "What happens to the note when I tighten it?",
        ],
      },
      {
        text: "Where two waves meet their heights add up. Two crests make a higher crest, and a crest and a trough of the same size cancel: this is interference.",
        asked: ["What is interference of two waves?", "Can two sounds make silence?"],
      },
      {
        text: "A standing wave stays in its place. It has nodes, which never move, and antinodes, which swing the most; half a wavelength lies from node to node.",
        asked: [
          "How far apart are the nodes of a standing wave?",
          "Which points of the vibrating string keep still?",
        ],
      },
    ],
  },
  {
    title: "Sound",
    passages: [
      {
        text: "Sound is a wave of pressure: air is pressed together and drawn apart along the way in which the sound goes. In a vacuum there is nothing to press, and so no sound.",
        asked: ["Why is there no sound in a vacuum?", "Would anyone hear an explosion in space?"],
      },
      {
        text: "Loudness is measured in decibels. Ten decibels more mean ten times the power, and our ears call that about twice as loud.",
        asked: ["How many times the power are ten decibels more?", "How is loudness measured?"],
      },
      {
        text: "An ambulance that comes nearer sounds higher than one that drives away, since its crests are crowded together before it. This is the Doppler effect.",
        asked: ["What is the Doppler effect?", "Why does a siren drop in pitch as it passes me?"],
      },
      {
        text: "At resonance a small push at the right moment, again and again, makes a swing go high, because each push adds energy. Bridges have broken by it.",
        asked: [
          "How does resonance add energy to a swing?",
          "Why must soldiers not march in step over a bridge?",
        ],
      },
      {
        text: "Two tones of nearly the same frequency beat: the sum swells and fades as often each second as the two frequencies differ. Musicians tune by listening until the beats are gone.",
        asked: ["How often do two tones beat each second?", "How do musicians tune by listening to beats?"],
      },
    ],
  },
  {
    title: "Heat",
    passages: [
      {
        text: "Temperature tells how fast the particles of a body move on average. At absolute zero, minus 273 degrees Celsius, they would be as still as they can be.",
        asked: ["What does temperature tell of the particles?", "Is there a coldest possible degree?"],
      },
      {
        text: "Heat is energy that goes from a warmer body to a colder one. It never goes the other way by itself, and it stops when both have the same temperature.",
        asked: ["Which way does heat go by itself?", "Why does my coffee end up at room temperature?"],
      },
      {
        text: "Water has a large specific heat: one kilogram takes 4200 joules to become one degree warmer. So the sea warms slowly in spring and keeps the coast mild in autumn.",
        asked: ["What is the specific heat of water?", "Why is weather near the sea less extreme?"],
      },
      {
        text: "While ice melts its temperature stays at zero degrees, although heat goes in: the energy loosens the bonds between the particles. It is called latent heat.",
        asked: ["Why does the temperature stay the same while ice melts?", "What is latent heat?"],
      },
      {
        text: "Metals conduct heat well, as their electrons are free to carry it. Wool, foam and air hardly do, and so they insulate.",
        asked: ["Why do metals conduct heat well?", "Why does a metal spoon feel colder than a wooden one?"],
      },
    ],
  },
  {
    title: "Gases and engines",
    passages: [
      {
        text: "The pressure of a gas comes from its particles, which hit the walls. Half the volume at the same temperature makes twice the pressure: Boyle's law.",
        asked: [
          "What does Boyle's law say of pressure and volume?",
          "Why is a pump harder to push when its outlet is closed?",
        ],
      },
      {
        text: "A gas that is pressed together quickly becomes hot, for work is done on it. A diesel engine lights its fuel so, without a spark.",
        asked: ["How does a diesel engine light its fuel?", "Why is the bicycle pump warm after pumping?"],
      },
      {
        text: "No engine turns all its heat into work. The greatest efficiency depends on the two temperatures between which it runs, as Carnot found.",
        asked: ["On what does the greatest efficiency of an engine depend?", "What did Carnot find?"],
      },
      {
        text: "Entropy measures in how many ways the particles can be arranged. In a closed system it grows or stays, which is why a broken cup does not mend itself.",
        asked: ["What does entropy measure?", "Why can't scrambled eggs be unscrambled?"],
      },
      {
        text: "A refrigerator takes heat from its inside and gives it off behind, and needs work for that. The room around it becomes warmer, not colder.",
        asked: [
          "Does a refrigerator make the room warmer?",
          "Can I cool the kitchen by leaving the fridge open?",
        ],
      },
    ],
  },
  {
    title: "Electric circuits",
    passages: [
      {
        text: "Current is charge that flows: one ampere is one coulomb each second. In a simple loop it is the same everywhere, for charge is neither made nor used up.",
        asked: ["What is one ampere?", "Does a lamp use up the current?"],
      },
      {
        text: "Voltage tells how much energy each coulomb is given. A battery of 1.5 volts gives every coulomb 1.5 joules.",
        asked: ["How much energy does a battery give every coulomb?", "What is voltage?"],
      },
      {
        text: "Ohm's law says that the current through a resistor grows with the voltage across it. Their ratio is the resistance, in ohms.",
        asked: ["What does Ohm's law say?", "What is the ratio of voltage and current called?"],
      },
      {
        text: "Resistors in series add up. In parallel each one more gives the current another path, and so the whole resistance becomes smaller than the smallest of them.",
        asked: ["Do resistors in series add up?", "Why is the whole resistance smaller in parallel?"],
      },
      {
        text: "The power of a device is voltage times current. A kettle of 2300 watts at 230 volts takes ten amperes, and a fuse of six would melt.",
        asked: ["What is the power of a device?", "Why does the breaker trip when I boil water?"],
      },
    ],
  },
  {
    title: "Magnetism and induction",
    passages: [
      {
        text: "Every current has a magnetic field around it, in circles. A coil with many windings and an iron core makes it strong: an electromagnet.",
        asked: ["How is an electromagnet made?", "Which field does a current have around it?"],
      },
      {
        text: "A magnet that moves through a coil induces a voltage in it. At rest it induces none, however strong it is: only change counts.",
        asked: ["When does a magnet induce a voltage in a coil?", "How does a dynamo produce electricity?"],
      },
      {
        text: "Lenz's law says that an induced current works against what makes it. So a magnet falls slowly through a copper pipe.",
        asked: ["What does Lenz's law say?", "Why does a magnet fall slowly in copper?"],
      },
      {
        text: "A transformer has two coils on one core. Twice the windings make twice the voltage and half the current; it needs alternating current.",
        asked: [
          "What do twice the windings of a transformer make?",
          "Why are chargers useless on direct current?",
        ],
      },
      {
        text: "Power lines carry hundreds of kilovolts, because the same power then takes less current, and wires lose heat with the square of the current.",
        asked: [
          "Why do power lines carry so many kilovolts?",
          "How is electricity sent far without wasting much?",
        ],
      },
    ],
  },
];
