import { dataOf } from "learning-platform-client";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Notice } from "../components/notice.tsx";
import type { SignedFileUrl } from "../files/file-url-cache.ts";
import { useRenewableMediaUrl, useSignedFileUrl } from "../files/use-signed-file-url.ts";
import { formatSecondsAsClock } from "../format.ts";
import { useContentLanguage } from "../markup/content-language.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t, useLanguage } from "../texts.ts";
import { CaptionTrack } from "./caption-track.tsx";
import { useCitedLocation, useScrollToCitedProps } from "./cited-location.tsx";
import { safeWebUrl, type VideoData } from "./content-data.ts";
import { videoEmbedUrl } from "./video-url.ts";

type VideoProps = { data: VideoData; title: string; onWatched: (percent: number) => Promise<void> };

/** Percentages to report. After the last one come only credits. */
const marks = [25, 50, 75, 95];

export function VideoView({ data, title, onWatched }: VideoProps) {
  const player = useRef<HTMLVideoElement>(null);
  const language = useContentLanguage();
  const spokenHere = useLanguage();
  const segments = data.transcript?.segments ?? [];
  const { seconds: cited } = useCitedLocation();
  const frame = videoEmbedUrl(data, cited);
  const spoken =
    cited === undefined ? -1 : segments.findLastIndex(({ start = 0 }) => Math.floor(start) <= cited);
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
          lang={language}
          allow="fullscreen; picture-in-picture"
          allowFullScreen
          // YouTube refuses to play without a referrer.
          referrerpolicy="strict-origin-when-cross-origin"
        />
      ) : data.file_id ? (
        <StoredVideo id={data.file_id} data={data} title={title} onWatched={onWatched} player={player} />
      ) : (
        <OwnVideo data={data} title={title} onWatched={onWatched} player={player} />
      )}
      {segments.length > 0 && (
        <details class="transcript" open>
          <summary>{t("transcript")}</summary>
          <ol lang={data.transcript?.language || language}>
            {segments.map(({ start = 0, text }, at) => (
              <Line key={`${start} ${text}`} isCited={at === spoken}>
                {frame ? (
                  <span class="time">{formatSecondsAsClock(start)}</span>
                ) : (
                  <button
                    type="button"
                    class="time quiet"
                    onClick={() => seek(start)}
                    // In the reader's language, unlike the transcript.
                    lang={spokenHere}
                    aria-label={t("transcript.play", { time: formatSecondsAsClock(start) })}
                  >
                    {formatSecondsAsClock(start)}
                  </button>
                )}
                <span>{text}</span>
              </Line>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

function Line({ isCited, children }: { isCited: boolean; children: ComponentChildren }) {
  return <li {...useScrollToCitedProps<HTMLLIElement>(isCited)}>{children}</li>;
}

type PlayedProps = VideoProps & { player: { current: HTMLVideoElement | null } };

/** A film that is given only as a university asset. */
function AssetVideo({ id: asset_id, ...props }: PlayedProps & { id: number }) {
  const asset = useQuery(
    (signal) => dataOf(apiClient.getAsset({ params: { path: { asset_id } }, signal })),
    [asset_id],
  );
  return (
    <QueryBoundary of={asset}>
      {({ file_id, url }) =>
        file_id ? (
          <StoredVideo {...props} id={file_id} />
        ) : (
          <OwnVideo {...props} data={{ ...props.data, url }} />
        )
      }
    </QueryBoundary>
  );
}

/** A film at a URL. */
function OwnVideo(props: PlayedProps) {
  const [hasFailed, setFailed] = useState(false);
  const { url, video_url, asset_id } = props.data;
  const source = safeWebUrl(url ?? video_url);
  if (!source && asset_id) return <AssetVideo {...props} id={asset_id} />;
  if (hasFailed || !source) return <CannotPlay source={source} />;
  return <Played {...props} source={source} onError={() => setFailed(true)} />;
}

/** An uploaded film. */
function StoredVideo({ id, ...props }: PlayedProps & { id: number }) {
  const address = useSignedFileUrl(id);
  if (address === undefined) return <div class="skeleton" />;
  return address === null ? <CannotPlay source={undefined} /> : <StoredFilm {...props} address={address} />;
}

function StoredFilm({ address, ...props }: PlayedProps & { address: SignedFileUrl }) {
  const { src, keep, failed, hasFailed } = useRenewableMediaUrl(address);
  if (hasFailed) return <CannotPlay source={address.url} />;
  return <Played {...props} source={src} onBegin={keep} onError={failed} />;
}

const CannotPlay = ({ source }: { source: string | undefined }) => (
  <Notice>
    {t("video.failed")}{" "}
    {source && (
      <a href={source} target="_blank" rel="noopener noreferrer">
        {t("video.open")}
      </a>
    )}
  </Notice>
);

type PlayerProps = PlayedProps & { source: string; onBegin?: () => void; onError: () => void };

function Played({ data, title, onWatched, player, source, onBegin, onError }: PlayerProps) {
  const reached = useRef(0);
  const at = useRef(0);
  const place = useCitedLocation();
  useEffect(() => {
    const film = player.current;
    if (place.seconds === undefined || !film) return;
    at.current = place.seconds;
    film.currentTime = place.seconds;
  }, [place]);
  const look = ({ currentTarget: film }: { currentTarget: HTMLVideoElement }) => {
    const { currentTime, duration, readyState } = film;
    if (readyState > 0) at.current = currentTime;
    const mark = marks.findLast((percent) => (currentTime / duration) * 100 >= percent) ?? 0;
    if (mark <= reached.current) return;
    reached.current = mark;
    onWatched(mark === marks.at(-1) ? 100 : mark).catch(() => {
      reached.current = 0;
    });
  };
  const begin = ({ currentTarget: film }: { currentTarget: HTMLVideoElement }) => {
    // The signed URL expired: continue at the same position with the new one.
    if (at.current > 0) film.currentTime = at.current;
    onBegin?.();
  };
  return (
    // biome-ignore lint/a11y/useMediaCaption: the track is of another component
    <video
      class="video"
      ref={player}
      controls
      preload="metadata"
      src={source}
      poster={safeWebUrl(data.thumbnail_url)}
      aria-label={title}
      lang={useContentLanguage()}
      onLoadedMetadata={begin}
      onTimeUpdate={look}
      onError={onError}
    >
      <CaptionTrack transcript={data.transcript} />
    </video>
  );
}
