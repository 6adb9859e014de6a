ALTER TABLE "lti_tools" ALTER COLUMN "university_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "enrollments" ADD COLUMN "changed_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL;--> statement-breakpoint
ALTER TABLE "lti_tools" ADD COLUMN "in_navigation" boolean DEFAULT false NOT NULL;
