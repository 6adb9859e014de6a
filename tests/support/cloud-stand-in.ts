import { startStandInServer } from "../../scripts/dev/stand-in-server.ts";
import { bedrockWriter } from "./bedrock-protocol.ts";

/** The keys that signed a call. */
type SignedCall = { accessKeyId: string | undefined; sessionToken: string | undefined };

export type CloudStandIn = { url: string; calls: SignedCall[]; close(): Promise<void> };

/** A Bedrock that records the keys of each call and rejects keys that begin with `REVOKED`. */
export async function startCloudStandIn(): Promise<CloudStandIn> {
  const calls: SignedCall[] = [];
  const server = await startStandInServer(async (request, _body, response) => {
    const accessKeyId = /Credential=([^/]+)\//.exec(request.headers.authorization ?? "")?.[1];
    const sessionToken = request.headers["x-amz-security-token"]?.toString();
    calls.push({ accessKeyId, sessionToken });
    const writer = bedrockWriter(response);
    if (!accessKeyId || accessKeyId.startsWith("REVOKED"))
      return writer.refuse(403, "UnrecognizedClientException", "The security token is invalid");
    const usage = { input_tokens: 1, output_tokens: 1 };
    writer.begin(usage);
    writer.text("Hello");
    writer.end("max_tokens", usage);
  });
  return { url: server.url, calls, close: server.close };
}
