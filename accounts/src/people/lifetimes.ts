/** Hours until a sign-in link that nobody has used stops working. */
export const signInLinkHours = 24;

/** Days until a session that is not used ends. */
export const sessionDays = 30;
