import { ask, type TopicScript } from "./script.ts";

export const physicsScripts: readonly TopicScript[] = [
  {
    titles: ["La velocidad", "Comprueba: velocidad"],
    intro: "La velocidad media compara cuánto cambia la posición con el tiempo que tarda.",
    example: "Caminas 300 metros en 5 minutos: cada minuto avanzas 60 metros.",
    answer: "Escribe primero cuánto cambió la posición y después cuánto tiempo pasó. Luego divide.",
    questions: [
      ask(
        "Un tren recorre 150 km en 2 horas. ¿Cuál es su velocidad media?",
        ["75 km/h", "300 km/h", "152 km/h"],
        "A",
        { B: "La distancia se multiplica por el tiempo", C: "La distancia y el tiempo se suman" },
        {
          skill: "Calcular la velocidad media",
          hint: "¿Cuántos kilómetros avanza en una hora?",
          because: "150 km divididos por 2 h son 75 km/h.",
        },
      ),
      ask(
        "Corres una vuelta entera a una pista de 400 m en 100 s. ¿Cuál es tu velocidad media, como cambio de posición?",
        ["4 m/s", "400 m/s", "0 m/s"],
        "C",
        { A: "La distancia recorrida es el cambio de posición", B: "El tiempo no cuenta" },
        {
          skill: "Distinguir distancia y desplazamiento",
          hint: "¿Dónde terminas, comparado con el comienzo?",
          because: "Terminas donde empezaste: la posición no cambia.",
        },
      ),
      ask(
        "¿Qué indica el velocímetro de un coche?",
        ["La velocidad media del viaje", "La rapidez en este instante", "La distancia recorrida"],
        "B",
        { A: "El velocímetro calcula una media", C: "Velocidad y distancia son lo mismo" },
        {
          skill: "Distinguir media e instante",
          hint: "¿Qué pasa con la aguja cuando frenas?",
          because: "La aguja cambia enseguida al frenar: muestra este instante.",
        },
      ),
    ],
  },
];
