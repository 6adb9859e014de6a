import { ask, type TopicScript } from "./script.ts";

export const programmingScripts: readonly TopicScript[] = [
  {
    titles: ["What a variable is"],
    intro: "A variable is a name that refers to a value. Assignment binds the name, and can bind it again.",
    example:
      "A label on a jar: you can move the label to another jar, and the first jar keeps what is in it.",
    answer: "Read the line from the right: first compute the value, then bind the name to it.",
    questions: [
      ask(
        "After x = 3 and x = x + 1, what is x?",
        ["4", "3", "An error: nothing equals itself plus one"],
        "A",
        { B: "A name keeps its first value", C: "Assignment is an equation" },
        {
          skill: "Reading assignment",
          hint: "Compute the right side first.",
          because: "The right side is 3 + 1, and then x is bound to 4.",
        },
      ),
      ask(
        "After a = 2, b = a and a = 5, what is b?",
        ["5", "2", "a"],
        "B",
        { A: "b follows a", C: "b is bound to the name a" },
        {
          skill: "Following names",
          hint: "To which value was b bound when its line ran?",
          because: "b was bound to the value 2. Binding a again does not change b.",
        },
      ),
      ask(
        "Which line asks whether n is 10?",
        ["n = 10", "10 = n", "n == 10"],
        "C",
        { A: "One equals sign compares", B: "The order of an assignment does not matter" },
        {
          skill: "Telling assignment from comparison",
          hint: "One of the signs binds, the other asks.",
          because: "== compares and gives True or False. One = binds.",
        },
      ),
    ],
  },
  {
    titles: ["Names and values, drawn", "Check: names"],
    intro: "We draw each value as a box and each name as an arrow, and follow what a program moves.",
    example: "Two people with one shared shopping list: what one adds, the other reads.",
    answer: "Draw a box for each value and an arrow for each name, and move only what the line moves.",
    questions: [
      ask(
        "a = [1] and b = a. How many boxes with a list are there?",
        ["Two", "None", "One"],
        "C",
        { A: "Assigning copies the list", B: "A list is not a value" },
        {
          skill: "Drawing names",
          hint: "Does b = a make a new list?",
          because: "b = a draws a second arrow to the same box.",
        },
      ),
      ask(
        "Then b.append(2) runs. What is a?",
        ["[1, 2]", "[1]", "[2]"],
        "A",
        { B: "Each name has its own list", C: "append replaces the content" },
        {
          skill: "Following a shared list",
          hint: "Which box did append change, and who points to it?",
          because: "Both names point to the box that append changed.",
        },
      ),
      ask(
        "Instead, b = [1, 2] runs. What is a now?",
        ["[1, 2]", "[1]", "Nothing"],
        "B",
        { A: "Assigning to b changes the shared box", C: "The old box is deleted" },
        {
          skill: "Telling binding from changing",
          hint: "Does the line change a box or move an arrow?",
          because: "The arrow of b moves to a new box. The arrow of a stays.",
        },
      ),
    ],
  },
  {
    titles: ["Parameters and return values"],
    intro: "A function takes arguments by its parameters and hands back one value with return.",
    example:
      "A coffee machine: you put in beans and water, and it hands out one cup. What it prints on its display is not coffee.",
    answer:
      "Separate two things: what the function prints for people, and what it hands back to the program.",
    questions: [
      ask(
        "def double(n): return 2 * n. What is double(4) + 1?",
        ["9", "10", "An error"],
        "A",
        { B: "The sum is passed to the function", C: "A call cannot be part of a sum" },
        {
          skill: "Using a return value",
          hint: "Replace the call with the value that it returns.",
          because: "double(4) is 8, and 8 + 1 is 9.",
        },
      ),
      ask(
        "A function ends without return. What is its value?",
        ["0", "None", "The value of its last line"],
        "B",
        { A: "Functions without return give 0", C: "The last line is returned" },
        {
          skill: "Knowing None",
          hint: "Python has a value for “nothing”.",
          because: "Without return, a function hands back None.",
        },
      ),
      ask(
        "def show(n): print(2 * n). What does x = show(4) bind to x?",
        ["8", "An error", "None"],
        "C",
        { A: "Printing is returning", B: "A printing function cannot be assigned" },
        {
          skill: "Telling print from return",
          hint: "Does the function have a return?",
          because: "It prints 8 and returns nothing, so x is None.",
        },
      ),
    ],
  },
  {
    titles: ["Weighted grades", "Where to read on"],
    intro: "A weighted mean counts some grades more than others. We write it as a small function with tests.",
    example:
      "An exam with weight 60 and a quiz with weight 40: grades 1.0 and 2.0 give 0.6 · 1.0 + 0.4 · 2.0 = 1.4.",
    answer: "Write down one small case with its result, as a test, and make only that test pass first.",
    questions: [
      ask(
        "Grades 80 and 50 have the weights 3 and 1. What is the weighted mean?",
        ["65", "72.5", "290"],
        "B",
        { A: "Weights do not matter", C: "The sum is not divided" },
        {
          skill: "Computing a weighted mean",
          hint: "Divide by the sum of the weights.",
          because: "(3 · 80 + 1 · 50) / 4 is 72.5.",
        },
      ),
      ask(
        "What should the function do with an empty list?",
        ["Return 0", "Fail with ZeroDivisionError", "Return None or raise a clear error, as documented"],
        "C",
        { A: "No grades are a grade of 0", B: "The caller must know the formula" },
        {
          skill: "Handling edge cases",
          hint: "Is there a mean of nothing?",
          because: "No grades have no mean. A clear answer helps the caller, a 0 misleads.",
        },
      ),
      ask(
        "Where does rounding belong?",
        ["In the summary that people read", "In each step", "In the weights"],
        "A",
        { B: "Early rounding keeps results tidy", C: "Weights must be whole numbers" },
        {
          skill: "Rounding late",
          hint: "What happens to small errors that are added many times?",
          because: "Rounded steps add up to wrong results, so only the output is rounded.",
        },
      ),
    ],
  },
];
