/**
 * A test that meant "the daemon's pid, or nobody" wrote -1 for nobody, and ended every process of the machine. To kill(2), 0 is one's own group, -1 is
 * everybody, and 1 is init: no test means any of these.
 */
const kill = process.kill.bind(process);

process.kill = (pid, signal) => {
  if (pid === 0 || pid === 1 || pid === -1) throw new Error(`a test asked to signal ${pid}, which is nobody's pid`);
  return kill(pid, signal);
};
