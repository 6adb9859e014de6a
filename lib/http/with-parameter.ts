export function withQueryParameter(target: string, name: string, value: string): string {
  const [rest = "", ...fragment] = target.split("#");
  const parameter = `${rest.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(value)}`;
  return [rest + parameter, ...fragment].join("#");
}
