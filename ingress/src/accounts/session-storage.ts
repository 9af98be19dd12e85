// Types only.

/** Sessions by the secret ids that browsers have in their cookies; the ids are stored as SHA-256 alone. */
export type SessionStorage = {
  find(id: string): Promise<StoredSession | null>;
  create(id: string, session: StoredSession): Promise<void>;
  /** Stores when a session was last seen and lets it live on. Does nothing for one that has ended. */
  touch(id: string, session: StoredSession): Promise<void>;
  end(id: string): Promise<void>;
};

/** Instants are epoch milliseconds. */
export type StoredSession = { email: string; createdAt: number; seenAt: number };
