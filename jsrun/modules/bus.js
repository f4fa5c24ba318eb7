// This expression makes pi.events, through which the handlers of one module pass values to each other.
(() => {
  const channels = new Map();
  return {
    on(channel, handler) {
      if (!channels.has(channel)) channels.set(channel, new Set());
      channels.get(channel).add(handler);
      return () => channels.get(channel).delete(handler);
    },
    emit(channel, data) {
      for (const handler of [...(channels.get(channel) ?? [])]) {
        Promise.resolve().then(() => handler(data)).catch(error => console.error(`a listener of ${channel}: ${error}`));
      }
    },
  };
})()
