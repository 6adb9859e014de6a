import { useEffect, useRef } from "preact/hooks";
import { handleToolStorageMessage, type ToolStorageByOrigin } from "./tool-storage.ts";

/** The frame may not navigate the page around it. The tool is on another host, so its own origin is safe. */
const sandbox = [
  "allow-downloads",
  "allow-forms",
  "allow-modals",
  "allow-popups",
  "allow-popups-to-escape-sandbox",
  "allow-same-origin",
  "allow-scripts",
  "allow-storage-access-by-user-activation",
].join(" ");

const storage: ToolStorageByOrigin = new Map();

type ToolFrameProps = {
  address: string;
  title: string;
  /** When the tool has finished, such as its registration. */
  onClose?: () => void;
};

export function ToolFrameWithStorage({ address, title, onClose }: ToolFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const hear = ({ source, origin, data }: MessageEvent) => {
      if (!source || source !== frame.current?.contentWindow || origin === "null") return;
      if (data?.subject === "org.imsglobal.lti.close") onClose?.();
      const answer = handleToolStorageMessage(storage, origin, data);
      if (answer) source.postMessage(answer, { targetOrigin: origin });
    };
    addEventListener("message", hear);
    return () => removeEventListener("message", hear);
  }, [onClose]);
  return (
    <iframe
      ref={frame}
      src={address}
      title={title}
      sandbox={sandbox}
      allow="fullscreen; clipboard-write"
      width="100%"
      height="640"
    />
  );
}
