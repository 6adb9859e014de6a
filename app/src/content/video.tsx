import { useRef, useState } from "preact/hooks";
import { Notice } from "../components/notice.tsx";
import { clock } from "../format.ts";
import { t } from "../texts.ts";
import { frameOf } from "./film-address.ts";
import { type VideoData, webAddress } from "./shapes.ts";

type VideoProps = { data: VideoData; title: string; onWatched: (percent: number) => Promise<void> };

/** Each of these is reported once it is reached; what follows the last is only credits. */
const marks = [25, 50, 75, 95];

export function VideoView({ data, title, onWatched }: VideoProps) {
  const player = useRef<HTMLVideoElement>(null);
  const segments = data.transcript?.segments ?? [];
  const frame = frameOf(data);
  const seek = (seconds: number) => {
    const video = player.current;
    if (!video) return;
    video.currentTime = seconds;
    video.play().catch(() => undefined);
  };
  return (
    <>
      {frame ? (
        <iframe
          class="video"
          src={frame}
          title={title}
          allow="fullscreen; picture-in-picture"
          allowFullScreen
          // YouTube plays nothing where it is not told for whom.
          referrerpolicy="strict-origin-when-cross-origin"
        />
      ) : (
        <OwnVideo data={data} title={title} onWatched={onWatched} player={player} />
      )}
      {segments.length > 0 && (
        <details class="transcript" open>
          <summary>{t("transcript")}</summary>
          <ol lang={data.transcript?.language}>
            {segments.map(({ start = 0, text }) => (
              <li key={`${start} ${text}`}>
                {frame ? (
                  <span class="time">{clock(start)}</span>
                ) : (
                  <button
                    type="button"
                    class="time quiet"
                    onClick={() => seek(start)}
                    aria-label={t("transcript.play", { time: clock(start) })}
                  >
                    {clock(start)}
                  </button>
                )}
                <span>{text}</span>
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

type OwnVideoProps = VideoProps & { player: { current: HTMLVideoElement | null } };

function OwnVideo({ data, title, onWatched, player }: OwnVideoProps) {
  const [hasFailed, setFailed] = useState(false);
  const reached = useRef(0);
  const source = webAddress(data.url ?? data.video_url);
  const look = ({ currentTarget: { currentTime, duration } }: { currentTarget: HTMLVideoElement }) => {
    const mark = marks.findLast((percent) => (currentTime / duration) * 100 >= percent) ?? 0;
    if (mark <= reached.current) return;
    reached.current = mark;
    onWatched(mark === marks.at(-1) ? 100 : mark).catch(() => {
      reached.current = 0;
    });
  };
  if (hasFailed || !source)
    return (
      <Notice>
        {t("video.failed")}{" "}
        {source && (
          <a href={source} target="_blank" rel="noopener noreferrer">
            {t("video.open")}
          </a>
        )}
      </Notice>
    );
  return (
    // biome-ignore lint/a11y/useMediaCaption: what is said stands in the transcript below
    <video
      class="video"
      ref={player}
      controls
      preload="metadata"
      src={source}
      poster={webAddress(data.thumbnail_url)}
      aria-label={title}
      onTimeUpdate={look}
      onError={() => setFailed(true)}
    />
  );
}
