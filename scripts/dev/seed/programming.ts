import { choice, paragraph, pythonLab, quiz, resources, text, trueOrFalse, video } from "./content.ts";
import type { SeedCourse } from "./universities.ts";

export const programming: SeedCourse = {
  code: "CS-101",
  title: "Programming with Python",
  description: "Values, functions and loops, for people who have never programmed.",
  level: "INTRODUCTORY",
  creditHours: 4,
  department: "CS",
  subject: "programming",
  prerequisites: [],
  modules: [
    {
      type: "UNIT",
      title: "Values and names",
      description: "What a program works on, and how it remembers.",
      items: [
        text(
          {
            title: "What a variable is",
            description: "A name for a value, and how assignment differs from equality.",
            minutes: 10,
          },
          paragraph("A variable is a name that refers to a value. `x = 3` binds the name x to the number 3."),
          paragraph(
            "Assignment is not an equation: `x = x + 1` computes a value first and then rebinds the name.",
          ),
        ),
        video(
          {
            title: "Names and values, drawn",
            description: "Boxes and arrows for six short programs.",
            minutes: 8,
          },
          "cs101-names",
          [
            "Every value is a box, and a name is an arrow that points to one.",
            "Assigning moves the arrow. The old box stays where it was.",
            "Two names may point to the same box, which matters once the box is a list.",
          ],
        ),
        quiz(
          { title: "Check: names", description: "Three questions about assignment.", minutes: 5 },
          choice(
            "After a = 2; b = a; a = 5, what is b?",
            ["2", "5", "an error"],
            "2",
            "b was bound to the value 2, and rebinding a does not touch it.",
          ),
          choice(
            "Which line raises the value of n by one?",
            ["n == n + 1", "n = n + 1", "n + 1"],
            "n = n + 1",
            "Only assignment rebinds the name.",
          ),
          trueOrFalse(
            "Two names may refer to the same list.",
            true,
            "Names are arrows; two may point to one box.",
          ),
        ),
      ],
    },
    {
      type: "UNIT",
      title: "Functions",
      description: "Giving a computation a name and a shape.",
      items: [
        text(
          {
            title: "Parameters and return values",
            description: "What goes into a function and what comes out.",
            minutes: 12,
          },
          paragraph("A function takes arguments by its parameters, and hands back one value with `return`."),
          paragraph("A function without `return` hands back None, which surprises everyone once."),
        ),
      ],
      modules: [
        {
          type: "LAB",
          title: "Lab: a grade calculator",
          description: "Write three small functions and make their tests pass.",
          items: [
            pythonLab(
              {
                title: "Weighted grades",
                description: "Compute a weighted mean, a letter grade, and a summary.",
                minutes: 45,
              },
              {
                "grades.py": "student_visible",
                "test_examples.py": "student_visible",
                "test_edge_cases.py": "hidden_test",
              },
            ),
            resources(
              { title: "Where to read on", description: "Python's own words on functions.", minutes: 15 },
              {
                label: "Defining functions",
                url: "https://docs.python.org/3/tutorial/controlflow.html#defining-functions",
                kind: "article",
              },
            ),
          ],
        },
      ],
    },
  ],
};
