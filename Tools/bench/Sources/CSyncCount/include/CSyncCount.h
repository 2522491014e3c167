/// How often this process has asked the system to make a file durable, whichever library asked.
long sync_count(void);
