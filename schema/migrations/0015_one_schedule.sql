CREATE TABLE "scheduled_tasks" (
	"name" varchar(64) PRIMARY KEY NOT NULL,
	"holder" uuid,
	"held_until" timestamp (3) with time zone,
	"begun_at" timestamp (3) with time zone NOT NULL
);
