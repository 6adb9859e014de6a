import { dataOf } from "learning-platform-client";
import { useEffect, useState } from "preact/hooks";
import { api, tokens } from "../service.ts";
import { type FileAddress, fileAddresses } from "./addresses.ts";

/** What is drawn together asks within that time. */
const gatherMs = 20;

const addresses = fileAddresses(
  (ids) => dataOf(api.getFileAddresses({ body: { ids, inline: true } })),
  (work) => void setTimeout(work, gatherMs),
);

const renewEveryMs = 30_000;

const renew = () => void (document.hidden || addresses.renew());

setInterval(renew, renewEveryMs);
document.addEventListener("visibilitychange", renew);
addEventListener("online", renew);
tokens.onChange(addresses.clear);

/** Where a file is read now, and what it is called; null where it is not there for this person; undefined until it is known. */
export function useAddress(id: number): FileAddress | null | undefined {
  const [, draw] = useState(0);
  useEffect(() => addresses.watch(id, () => draw((count) => count + 1)), [id]);
  return addresses.addressOf(id);
}

export type MediaSource = {
  src: string;
  /** For the element's `onLoad`, or what a film has for that: it keeps the address that it has begun to read. */
  keep(): void;
  /** For its `onError`: an address that has ended is signed anew. */
  failed(): void;
  hasFailed: boolean;
};

/** The address for an element that reads it once, and is not to begin anew whenever another is signed. */
export function useMediaSource({ id, url, expires_at }: FileAddress): MediaSource {
  const [kept, setKept] = useState<string>();
  const [failedAt, setFailedAt] = useState<string>();
  const src = kept ?? url;
  return {
    src,
    keep: () => setKept(src),
    failed() {
      setKept(undefined);
      if (src !== url) return;
      if (Date.parse(expires_at) <= Date.now()) addresses.ask(id);
      else setFailedAt(url);
    },
    hasFailed: failedAt === url,
  };
}
