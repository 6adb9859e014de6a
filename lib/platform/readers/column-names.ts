/** In the languages of the application, and other common names. */
const translations: Readonly<Record<string, readonly string[]>> = {
  as: ["Als", "Como"],
  class_sourced_id: ["Kennung der Klasse", "Identificador de la clase"],
  code: ["Código"],
  course_offering_id: ["Kursangebot", "Oferta del curso", "Edición del curso"],
  department_code: ["Fachbereich", "Kürzel des Fachbereichs", "Departamento", "Código del departamento"],
  email: ["E-Mail-Adresse", "E-Mail Address", "Mail", "Correo", "Correo electrónico"],
  external_id: [
    "Kennung an der Hochschule",
    "Matrikelnummer",
    "Identificador en la universidad",
    "Matrícula",
  ],
  family_name: ["Last name", "Surname", "Nachname", "Familienname", "Apellido", "Apellidos"],
  full_name: ["Name", "Vollständiger Name", "Nombre completo", "Nombre y apellidos"],
  given_name: ["First name", "Vorname", "Nombre", "Nombre de pila"],
  role: ["Rolle", "Rol"],
  sourced_id: ["Kennung", "Kennung in der Quelle", "Identificador", "Identificador en el origen"],
  status: ["Stand", "Estado"],
  user_id: ["Person", "Persona", "Benutzer", "Usuario"],
  version: ["Versión"],
};

/** Ignores case, accents, blanks and signs. */
const keyOf = (name: string): string =>
  name
    .normalize("NFKD")
    .replaceAll(/[^\p{L}\p{N}]/gu, "")
    .toLowerCase();

/** In any letter case and language of the application. Undefined for another header. */
export function columnFinder(columns: readonly string[]): (header: string) => string | undefined {
  const found = new Map<string, string>();
  for (const column of columns) for (const name of translations[column] ?? []) found.set(keyOf(name), column);
  for (const column of columns) found.set(keyOf(column), column);
  return (header) => found.get(keyOf(header));
}
