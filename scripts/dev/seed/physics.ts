import { choice, math, paragraph, quiz, text } from "./content.ts";
import type { SeedCourse } from "./universities.ts";

export const physics: SeedCourse = {
  code: "FIS-110",
  title: "Introducción a la física",
  description: "Movimiento, fuerzas y energía, con ejemplos de la vida diaria.",
  level: "INTRODUCTORY",
  language: "es",
  creditHours: 6,
  subject: "mechanics",
  prerequisites: [],
  modules: [
    {
      type: "UNIT",
      title: "El movimiento",
      description: "Posición, velocidad y aceleración.",
      items: [
        text(
          {
            title: "La velocidad",
            description: "Cuánto cambia la posición, y en cuánto tiempo.",
            minutes: 10,
          },
          paragraph("La velocidad media es el cambio de posición dividido por el tiempo que tarda."),
          math("v = \\frac{\\Delta x}{\\Delta t}"),
        ),
        quiz(
          {
            title: "Comprueba: velocidad",
            description: "Una pregunta sobre la velocidad media.",
            minutes: 3,
          },
          choice(
            "Un tren recorre 150 km en 2 horas. ¿Cuál es su velocidad media?",
            ["75 km/h", "150 km/h", "300 km/h"],
            "75 km/h",
            "Se divide la distancia por el tiempo.",
          ),
        ),
      ],
    },
  ],
};
