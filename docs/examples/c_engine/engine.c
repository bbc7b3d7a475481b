/* A small UCI engine for latrunculi-classical on any board: alpha-beta on material, by the rules of docs/rules.md.
 *
 *     cc -O2 -o engine engine.c
 *     latrones-uci check --variant latrunculi-classical ./engine
 *
 * On Windows the compiler is gcc, of MinGW-w64, and the program engine.exe.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef _WIN32  /* built by MinGW-w64; the input is a pipe */
#include <windows.h>
enum { BUFFERING = _IONBF };  /* the system does not know lines */
static int input_waits(void) {
    DWORD bytes;
    return !PeekNamedPipe(GetStdHandle(STD_INPUT_HANDLE), NULL, 0, NULL, &bytes, NULL) || bytes > 0;  /* or it ended */
}
static double now_s(void) { return GetTickCount64() / 1e3; }
#else
#include <poll.h>
enum { BUFFERING = _IOLBF };
static int input_waits(void) {
    struct pollfd standard_input = {0, POLLIN, 0};
    return poll(&standard_input, 1, 0) > 0;
}
static double now_s(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return now.tv_sec + now.tv_nsec / 1e9;
}
#endif

enum { WIDTH = 18, SQUARES = WIDTH * WIDTH, MAX_MOVES = 1024, MAX_DEPTH = 40, MAX_PLIES = 8192, WIN = 30000 };
enum { QUIET_PLIES = 100 };  /* a draw after so many plies without a capture */
enum { SOLDIER = 100, RANK = 2, DUX_FREEDOM = 6 };  /* values of a soldier, its ranks, the empty squares beside a dux */
typedef struct { int from, to, captured[8], captures; } Move;

static const char START[] = "ssssssssss/4d5/10/10/10/10/5D4/SSSSSSSSSS w 0 1";
static const int STEPS[] = {1, -1, WIDTH, -WIDTH};
static char board[SQUARES];  /* '#' off the board, '.' empty, S and D of White, s and d of Black */
static int side;             /* 0 White, 1 Black */
static char history[MAX_PLIES][SQUARES];  /* the boards of the game and of the line that is searched */
static int quiet[MAX_PLIES];              /* the plies without a capture before each of them */
static int plies;
static int valid;                         /* was the last position without a mistake? */
static long nodes, most_nodes;
static double end_s;
static int stopped, infinite, listening, quitting;

static int owner(char piece) { return piece == 'S' || piece == 'D' ? 0 : piece == 's' || piece == 'd' ? 1 : -1; }

static int square(char **text) {  /* read a square such as c10; 0 if there is none */
    int file = **text - 'a', rank = 0;
    if (**text) ++*text;
    if (**text == '0') return 0;
    for (; **text >= '0' && **text <= '9' && rank < WIDTH; ++*text) rank = 10 * rank + **text - '0';
    return file < 0 || file > WIDTH - 3 || rank < 1 || rank > WIDTH - 2 ? 0 : rank * WIDTH + file + 1;
}

static int read_board(const char *fen) {  /* return whether it is one: ranks of one width, and at most two duces */
    char to_move, rest;
    int count, number, ranks = 1, width = 0, white_duces = 0, black_duces = 0;
    if (sscanf(fen, "%*[^ ] %c %d %d %c", &to_move, &count, &number, &rest) != 3) return 0;
    if ((to_move != 'w' && to_move != 'b') || strncmp(strchr(fen, ' ') + 2, " ", 1)) return 0;
    for (const char *c = fen; *c != ' '; c++) ranks += *c == '/';
    if (ranks > WIDTH - 2 || count < 0 || number < 1) return 0;
    memset(board, '#', sizeof board);
    for (int rank = ranks, file = 1;; fen++) {
        if (*fen == '/' || *fen == ' ') {
            if (file == 1 || (width && file != width)) return 0;
            width = file, file = 1, rank--;
            if (*fen == ' ') break;
        } else if (*fen >= '1' && *fen <= '9') {
            for (int empty = strtol(fen, (char **)&fen, 10); empty; empty--)
                if (file > WIDTH - 2) return 0;
                else board[rank * WIDTH + file++] = '.';
            fen--;
        } else if (!strchr("SDsd", *fen) || file > WIDTH - 2) return 0;
        else board[rank * WIDTH + file++] = *fen, white_duces += *fen == 'D', black_duces += *fen == 'd';
    }
    side = to_move == 'b';
    memcpy(history[0], board, SQUARES);
    quiet[0] = count, plies = 1;
    return white_duces < 2 && black_duces < 2;
}

static int freedom(int of) {  /* the empty squares beside a dux */
    int at = 0, count = 0;
    while (board[at] != "Dd"[of]) if (++at == SQUARES) return 1;
    for (int i = 0; i < 4; i++) count += board[at + STEPS[i]] == '.';
    return count;
}

static int soldiers(int of) {  /* their value, 0 if there are none */
    int value = 0;
    for (int at = 0; at < SQUARES; at++)
        if (board[at] == "Ss"[of]) value += SOLDIER + RANK * (of ? WIDTH - at / WIDTH : at / WIDTH);
    return value;
}

static int in_corner(int at) {  /* are both neighbours of a corner square the mover's? */
    int edges = 0, own = 0;
    for (int i = 0; i < 4; i++) edges += board[at + STEPS[i]] == '#', own += owner(board[at + STEPS[i]]) == side;
    return edges == 2 && own == 2;
}

static void make(Move *move) {
    board[move->to] = board[move->from];
    board[move->from] = '.';
    move->captures = 0;
    for (int i = 0; i < 4; i++) {
        int next = move->to + STEPS[i];
        if (board[next] == "sS"[side] && (owner(board[next + STEPS[i]]) == side || in_corner(next)))
            move->captured[move->captures++] = next;
    }
    for (int i = 0; i < move->captures; i++) board[move->captured[i]] = '.';
    side = !side;
    quiet[plies] = move->captures ? 0 : quiet[plies - 1] + 1;
    memcpy(history[plies++], board, SQUARES);
}

static void unmake(const Move *move) {
    side = !side;
    plies--;
    board[move->from] = board[move->to];
    board[move->to] = '.';
    for (int i = 0; i < move->captures; i++) board[move->captured[i]] = "sS"[side];
}

static int repetitions(void) {  /* the third time loses; avoid the second */
    int count = 0;
    for (int i = plies - 3; i >= 0 && i >= plies - 1 - quiet[plies - 1]; i -= 2)
        count += !memcmp(history[plies - 1], history[i], SQUARES);
    return count;
}

static int finished(void) {  /* without looking for a legal move */
    return !freedom(0) || !freedom(1) || !soldiers(0) || !soldiers(1) || quiet[plies - 1] >= QUIET_PLIES
        || repetitions() > 1;
}

static int generate(Move *moves) {  /* captures first */
    int count = 0, captures = 0;
    for (int from = 0; from < SQUARES; from++)
        if (owner(board[from]) == side)
            for (int i = 0; i < 4; i++)
                for (int to = from + STEPS[i]; board[to] == '.'; to += STEPS[i]) {
                    Move move = {from, to, {0}, 0};
                    make(&move);
                    int legal = freedom(!side) > 0;
                    unmake(&move);
                    if (!legal) continue;
                    moves[count] = move;
                    if (move.captures) moves[count] = moves[captures], moves[captures++] = move;
                    count++;
                }
    return count;
}

/* Lines come in while the engine searches, too, so they are read without waiting. */

static char line[1 << 18], input[1 << 18];
static size_t filled;
static int ended;

static int next_line(int wait) {  /* 1: there is one; 0: not yet; -1: the input has ended */
    for (;;) {
        char *end = memchr(input, '\n', filled);
        if (!end && ended && filled) input[filled < sizeof input ? filled++ : filled - 1] = '\n';
        else if (end) {
            size_t length = end - input + 1;
            memcpy(line, input, length);
            line[length - 1 - (length > 1 && line[length - 2] == '\r')] = 0;
            memmove(input, end + 1, filled -= length);
            return 1;
        } else {
            if (ended) return -1;
            if (!wait && !input_waits()) return 0;
            if (filled == sizeof input) filled = 0;  /* a line that no position has is cut */
            ssize_t count = read(0, input + filled, sizeof input - filled);
            if (count <= 0) ended = 1;
            else filled += count;
        }
    }
}

static void listen_for_stop(int wait) {  /* obey what concerns the search; ignore the rest */
    for (int found; !stopped && (found = next_line(wait));) {
        char word[16] = "";
        sscanf(line, "%15s", word);
        if (found < 0 && !infinite) return;
        if (found < 0 || !strcmp(word, "stop") || !strcmp(word, "quit")) stopped = 1;
        if (found > 0 && !strcmp(word, "quit")) quitting = 1;
        if (found > 0 && !strcmp(word, "isready")) puts("readyok");
    }
}

static int search(int depth, int ply, int alpha, int beta) {
    Move moves[MAX_MOVES];
    if (!freedom(side) || !soldiers(side)) return ply - WIN;
    if (repetitions()) return WIN - ply;
    if (quiet[plies - 1] >= QUIET_PLIES) return 0;
    nodes++;
    if (most_nodes && nodes >= most_nodes) stopped = 1;
    if (end_s && nodes % 256 == 0 && now_s() > end_s) stopped = 1;
    if (listening && nodes % 256 == 0) listen_for_stop(0);
    if (depth == 0 || stopped)
        return soldiers(side) - soldiers(!side) + DUX_FREEDOM * (freedom(side) - freedom(!side));
    int count = generate(moves);
    for (int i = 0; i < count && alpha < beta && !stopped; i++) {
        make(&moves[i]);
        int value = -search(depth - 1, ply + 1, -beta, -alpha);
        unmake(&moves[i]);
        if (value > alpha) alpha = value;
    }
    return alpha;
}

static const char *text_of(const Move *move) {
    static char text[64];
    sprintf(text, "%c%d%c%d", 'a' + move->from % WIDTH - 1, move->from / WIDTH, 'a' + move->to % WIDTH - 1,
            move->to / WIDTH);
    return text;
}

static int allowed(const Move *move, const char *only) {  /* is it one of the moves of searchmoves? */
    char words[1 << 14], *rest = words;
    if (!only) return 1;
    snprintf(words, sizeof words, "%s", only);
    for (char *word; (word = strtok_r(rest, " ", &rest));)
        if (!strcmp(word, text_of(move))) return 1;
    return 0;
}

static void go(int most_depth, const char *only, int print) {
    Move moves[MAX_MOVES], best;
    int found = finished() || !valid ? 0 : generate(moves), count = 0;
    for (int i = 0; i < found; i++)
        if (allowed(&moves[i], only)) moves[count++] = moves[i];
    nodes = stopped = 0;
    listening = print;
    for (int depth = 1; count && depth <= most_depth && !stopped; depth++) {
        int alpha = -WIN - 1, first = 0;
        for (int i = 0; i < count && !stopped; i++) {
            make(&moves[i]);
            int value = -search(depth - 1, 1, -WIN - 1, -alpha);
            unmake(&moves[i]);
            if (value > alpha && !stopped) alpha = value, first = i;
        }
        best = moves[first];
        memmove(moves + 1, moves, first * sizeof *moves);
        moves[0] = best;
        if (print && alpha > -WIN - 1)
            printf("info depth %d score cp %d nodes %ld pv %s\n", depth, alpha, nodes, text_of(&best));
    }
    if (infinite && count) listen_for_stop(1);
    if (print) printf("bestmove %s\n", count ? text_of(&moves[0]) : "0000");
}

static int read_move(char *word) {  /* make a move, and return whether it is legal */
    Move move = {square(&word), square(&word), {0}, 0};
    int distance = move.to - move.from, step = distance % WIDTH ? 1 : WIDTH;
    if (*word || !move.from || !move.to || !distance || owner(board[move.from]) != side) return 0;
    if (step == 1 && move.from / WIDTH != move.to / WIDTH) return 0;
    if (distance < 0) step = -step;
    for (int at = move.from; at != move.to; at += step)
        if (board[at + step] != '.') return 0;
    make(&move);
    return freedom(!side) > 0;
}

static int read_position(char *text) {
    char *fen = strstr(text, "fen "), *moves = strstr(text, " moves");
    if (moves) *moves = 0, moves += strlen(" moves");
    if (!read_board(fen ? fen + strlen("fen ") : START)) return 0;
    for (char *word = moves ? strtok(moves, " ") : NULL; word; word = strtok(NULL, " "))
        if (plies >= MAX_PLIES - MAX_DEPTH - 2 || !read_move(word)) return 0;
    return 1;
}

static long number(const char *line, const char *name) {
    const char *found = strstr(line, name);
    return found ? atol(found + strlen(name)) : 0;
}

static void read_go(void) {
    char only[1 << 14];
    long depth = number(line, " depth "), time_ms = number(line, " movetime ");
    long clock_ms = number(line, side ? " btime " : " wtime "), increment_ms = number(line, side ? " binc " : " winc ");
    if (!time_ms && clock_ms) time_ms = clock_ms / 30 + increment_ms / 2 + 1;
    most_nodes = number(line, " nodes ");
    end_s = time_ms ? now_s() + time_ms / 1e3 : 0;
    infinite = strstr(line, " infinite") != NULL;
    char *moves = strstr(line, " searchmoves ");
    snprintf(only, sizeof only, "%s", moves ? moves + strlen(" searchmoves ") : "");
    if (depth <= 0 || depth > MAX_DEPTH) depth = depth > 0 || infinite || most_nodes || time_ms ? MAX_DEPTH : 3;
    go((int)depth, moves ? only : NULL, 1);
}

int main(int count, char **arguments) {
    setvbuf(stdout, NULL, BUFFERING, 0);
    valid = read_board(START);
    if (count > 1 && !strcmp(arguments[1], "bench")) {
        go(3, NULL, 0);
        printf("Nodes searched: %ld\n", nodes);
        return 0;
    }
    while (!quitting && next_line(1) > 0) {
        char word[16] = "";
        sscanf(line, "%15s", word);
        if (!strcmp(word, "uci"))
            puts("id name C engine\nid author The examples\n"
                 "option name UCI_Variant type combo default latrunculi-classical var latrunculi-classical\n"
                 "option name BoardSize type string default auto\nuciok");
        else if (!strcmp(word, "isready")) puts("readyok");
        else if (!strcmp(word, "position")) valid = read_position(line);
        else if (!strcmp(word, "go")) read_go();
        else if (!strcmp(word, "quit")) break;
    }
    return 0;
}
