CREATE TABLE "metric_instances" (
	"id" uuid PRIMARY KEY NOT NULL,
	"requests_in_progress" integer NOT NULL,
	"last_batch" integer NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "metric_samples" (
	"sample" varchar(64) NOT NULL,
	"labels" jsonb NOT NULL,
	"value" double precision NOT NULL,
	CONSTRAINT "metric_samples_sample_labels_pk" PRIMARY KEY("sample","labels")
);
