/** Values of the standard's variables; an absent one stays as written. */
export type VariableValues = Readonly<Record<string, string | undefined>>;

/** Custom parameters with their variables replaced (LTI Core 1.3, 5.4.6.1). */
export const replaceVariables = (
  parameters: Readonly<Record<string, string>>,
  values: VariableValues,
): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, replaced(value, values)]));

const replaced = (text: string, values: VariableValues): string =>
  text.replace(/\$[A-Za-z]\w*(?:\.\w+)*/g, (variable) => values[variable.slice(1)] ?? variable);
