/** An administrator creates an API key for the demo university. */
export async function createApiKey(
  base: string,
  { email, password }: { email: string; password: string },
  scopes: readonly string[],
): Promise<string> {
  const send = async (where: string, body: object, token?: string) => {
    const response = await fetch(`${base}/api/v1${where}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${where} answered ${response.status}: ${await response.text()}`);
    return response.json() as Promise<Record<string, string>>;
  };
  const { access_token } = await send("/auth/login", { email, password });
  const expires_at = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString();
  const made = await send(
    "/universities/1/api-keys",
    { name: "Interoperability check", scopes, expires_at },
    access_token,
  );
  return made["key"] ?? "";
}
