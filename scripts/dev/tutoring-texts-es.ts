import type { TutoringTexts } from "./tutoring-texts.ts";

/** The practice tutor's texts for courses in Spanish. */
export const spanish: TutoringTexts = {
  practiceQuestions: [
    {
      question: "Te encuentras con {topic} por primera vez. ¿Qué primer paso ayuda más?",
      options: {
        A: "Aprender la definición de memoria, palabra por palabra",
        B: "Resolver un ejemplo pequeño y preguntarse qué muestra",
        C: "Dejarlo y volver antes del examen",
      },
      right: "B",
      believed: { A: "Saber las palabras es entender", C: "Aprender puede esperar" },
      skill: "Empezar por un ejemplo",
      because:
        "Un ejemplo pequeño da a la definición algo en lo que apoyarse; las palabras exactas llegan después con más facilidad.",
    },
    {
      question: "Un detalle de {topic} no encaja con lo que esperabas. ¿Qué te dice eso?",
      options: {
        A: "Tu idea necesita una corrección, y ahora sabes dónde",
        B: "El material debe de tener un error",
        C: "El detalle es una excepción y se puede omitir",
      },
      right: "A",
      believed: { B: "Lo que no encaja es un error ajeno", C: "Las excepciones no necesitan explicación" },
      skill: "Aprender de una sorpresa",
      because:
        "Una sorpresa marca el lugar exacto en el que tu idea y la materia se separan, y allí es donde más se aprende.",
    },
    {
      question: "¿Cómo compruebas mejor si has entendido {topic}?",
      options: {
        A: "Leer el material otra vez, despacio",
        B: "Comparar tus apuntes con los de una amiga",
        C: "Explicarlo en voz alta sin apuntes y ver dónde te detienes",
      },
      right: "C",
      believed: { A: "Lo que se lee con facilidad se sabe", B: "Dos apuntes iguales son correctos" },
      skill: "Ponerse a prueba",
      because: "Releer parece fácil y muestra poco; explicar de memoria muestra enseguida qué paso falta.",
    },
    {
      question: "Has resuelto un ejercicio sobre {topic}. ¿Cuál debería venir después?",
      options: {
        A: "El mismo otra vez, hasta que salga rápido",
        B: "Uno que parece distinto pero se apoya en la misma idea",
        C: "El más difícil del libro",
      },
      right: "B",
      believed: { A: "La rapidez es comprensión", C: "Solo lo difícil enseña" },
      skill: "Elegir qué practicar",
      because:
        "Una superficie distinta te hace buscar la idea que hay debajo, y esa idea es la que volverás a necesitar.",
    },
  ],
  welcomes: [
    "¡Bienvenida, bienvenido! Hoy miramos juntos {topic}.",
    "¡Qué bien verte! Hoy toca {topic}.",
    "¡Hola! Vamos a descubrir de qué trata {topic}.",
  ],
  prepared:
    "(Soy el tutor de práctica: mis respuestas están preparadas. Un modelo real habla cuando se configura su clave.)",
  inShort: "En pocas palabras: {summary}",
  smallSteps: "Vemos {topic} en pasos pequeños: una idea y después una pregunta.",
  route:
    "Es como aprender un camino por una ciudad: primero una calle que conoces bien, y después lo que hay alrededor.",
  firstQuestion: "Aquí tienes una primera pregunta para empezar.",
  further: "Demos un paso más.",
  rightChoices: [
    "Sí, {right} es una buena elección.",
    "En efecto, es {right}.",
    "Bien pensado: {right} es correcta.",
  ],
  wrongChoices: [
    "Entiendo por qué «{answer}» es tentadora. Pero vuelve a mirar {right}.",
    "«{answer}» es lo que muchos eligen primero. Compárala con {right}.",
    "No es del todo «{answer}»: {right} se acerca más.",
  ],
  encouragements: ["Buena pregunta.", "Vamos a ver.", "Merece un momento."],
  socraticHints: [
    "Qué bien que preguntes. Antes de que diga nada: ¿qué parte de {topic} ya ves clara, y dónde deja de serlo? Intenta decir ese punto en una frase. A menudo el paso que falta es el anterior.",
    "Vamos por partes. Imagina el caso más sencillo de {topic}, con números pequeños o una sola persona. ¿Qué esperarías que pasara allí, y por qué? Compáralo con tu pregunta: ¿en qué se diferencia?",
    "Estás cerca. Escribe lo que sabes y lo que quieres saber de {topic}, una cosa debajo de la otra. ¿Qué regla o definición del material une las dos líneas? Dime el primer paso que probarías.",
  ],
  hintBegins: "Una pista:",
  tried: "Lo que intentaste antes es un buen punto de partida.",
  cited: "Mira “{title}” {mark}: ¿dice algo sobre esto?",
  helps: {
    "@hint": "Una pista: pregunta a cada opción qué sabrías después que no supieras antes.",
    "@dont_know":
      "Es un buen punto de partida. Aprender {topic} es hacerse una idea y ponerla a prueba: lo que muestra dónde falla ayuda más que lo que solo parece fácil.",
    "@example":
      "Piensa en aprender a montar en bicicleta: leer sobre el equilibrio cambia poco, y los dos primeros metros muestran enseguida qué falta. ¿Qué opción se parece a los dos primeros metros?",
    "@simpler": "En pocas palabras: ¿cuál de estas te muestra más de {topic}?",
    "@my_words": "Con gusto: explica con tus palabras qué opción elegirías para {topic}, y por qué.",
  },
};
