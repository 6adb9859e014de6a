export type Refusal = { status: number; detail: string; headers: Record<string, string> };

export const refusal = (
  status: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Refusal => ({ status, detail, headers });
