/** Sends over IPC; dropped if the supervisor is gone, even while the message is written. The process then ends itself. */
export function sendToSupervisor(message: { type: string; text: string }): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}
