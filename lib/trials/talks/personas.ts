/** The most answers that a talk asks for. */
export const mostTurns = 6;
