/** Words that readers search for and that no title has, by the address of the section that answers them. */
export const keywords: Record<string, string> = {
  "/docs/clients#go-and-java": "jvm kotlin golang sdk",
  "/docs/images#how-to-send-it": "upload send a file multipart",
  "/docs/limits#retries": "429",
  "/docs/models": "license licence licensing commercial company accuracy benchmark",
  "/docs/models#known-weaknesses": "bias children twins race",
  "/docs/models#no-liveness-check": "liveness anti-spoofing antispoofing deepfake",
  "/docs/one-against-many": "gallery 1:n identification identify recognize recognise subjects find",
  "/docs/operating/data-protection": "retention how long kept stored delete dpia gdpr",
  "/docs/operating/go-live": "production checklist deploy launch",
  "/docs/privacy#what-you-are-responsible-for": "consent",
  "/docs/running#what-you-need": "requirements windows macos mac memory ram disk platform install",
  "/docs/search-with-pgvector#store-and-search": "store embeddings database vector subjects enrol enroll",
  "/docs/security": "cve vulnerability vulnerabilities advisory sbom",
};
