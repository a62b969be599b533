// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {PoolKey, SwapParams} from "../interfaces/IUniswap.sol";
import {IERC20} from "../interfaces/IERC20.sol";
import {SafeToken} from "../interfaces/SafeToken.sol";

interface IPair {
    function getReserves() external view returns (uint112, uint112, uint32);
    function swap(uint256 out0, uint256 out1, address to, bytes calldata data) external;
}

interface IPool {
    function slot0() external view returns (uint160, int24, uint16, uint16, uint16, uint8, bool);
    function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256, int256);
}

interface IManager {
    function extsload(bytes32 slot) external view returns (bytes32);
    function unlock(bytes calldata data) external returns (bytes memory);
    function swap(PoolKey memory key, SwapParams memory params, bytes calldata hookData) external returns (int256);
    function sync(address currency) external;
    function settle() external payable returns (uint256);
    function take(address currency, address to, uint256 amount) external;
}

interface IWrapped {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

/// @title Keeps pools near the prices its operator believes in: many pools in one transaction, from its own inventory.
/// @notice A pool inside its band is left alone; one outside is traded back just inside. A pool that can not be traded
/// (a paused token, an empty range) is skipped and the others go on.
contract Arbitrageur {
    using SafeToken for address;

    /// @param pool the v2 or v3 pool; zero for v4, whose tokens, fee, spacing and hooks are the key
    /// @param low the square-root price (X96) below which the pool is too cheap
    /// @param high the one above which it is too dear
    struct Target {
        uint8 version;
        address pool;
        PoolKey key;
        uint160 low;
        uint160 high;
    }

    event Moved(uint256 indexed index, bool zeroForOne);
    event Skipped(uint256 indexed index, bytes reason);

    error OnlyOperator();
    error OnlySelf();
    error NotThePool();

    /// A move ends this part (1/8192 of the square root, 2.4 bps of the price) inside the band, not on its edge.
    uint160 private constant INSIDE = 8192;
    uint256 private constant POOLS_SLOT = 6;

    address public immutable operator;
    IManager public immutable manager;
    address public immutable weth;
    address private transient _callee;

    constructor(IManager manager_, address weth_) {
        operator = msg.sender;
        manager = manager_;
        weth = weth_;
    }

    receive() external payable {}

    modifier onlyOperator() {
        if (msg.sender != operator) revert OnlyOperator();
        _;
    }

    /// @notice Moves at most `maxMoves` of the pools that are outside their bands.
    function align(Target[] calldata targets, uint256 maxMoves) external onlyOperator {
        uint256 moves;
        for (uint256 i = 0; i < targets.length && moves < maxMoves; i++) {
            uint160 price = _priceOf(targets[i]);
            if (price == 0 || (price >= targets[i].low && price <= targets[i].high)) continue;
            bool zeroForOne = price > targets[i].high;
            moves++;
            try this.move(targets[i], zeroForOne) {
                emit Moved(i, zeroForOne);
            } catch (bytes memory reason) {
                emit Skipped(i, reason);
            }
        }
    }

    /// @notice Takes inventory out, for a market that is closing down or that holds too much.
    function withdraw(address token, address to, uint256 amount) external onlyOperator {
        token.send(to, amount);
    }

    function move(Target calldata target, bool zeroForOne) external {
        if (msg.sender != address(this)) revert OnlySelf();
        uint160 edge = zeroForOne ? target.high - target.high / INSIDE : target.low + target.low / INSIDE;
        if (target.version == 2) return _moveV2(target, zeroForOne, edge);
        uint256 inventory = _inventoryOf(zeroForOne ? target.key.currency0 : target.key.currency1);
        if (target.version == 4) {
            manager.unlock(abi.encode(target.key, zeroForOne, inventory, edge));
            return;
        }
        _callee = target.pool;
        IPool(target.pool).swap(
            address(this), zeroForOne, int256(inventory), edge, abi.encode(target.key.currency0, target.key.currency1)
        );
        _callee = address(0);
    }

    function uniswapV3SwapCallback(int256 delta0, int256 delta1, bytes calldata data) external {
        if (msg.sender != _callee) revert NotThePool();
        (address token0, address token1) = abi.decode(data, (address, address));
        if (delta0 > 0) _pay(token0, msg.sender, uint256(delta0));
        if (delta1 > 0) _pay(token1, msg.sender, uint256(delta1));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (msg.sender != address(manager)) revert NotThePool();
        (PoolKey memory key, bool zeroForOne, uint256 inventory, uint160 edge) =
            abi.decode(data, (PoolKey, bool, uint256, uint160));
        int256 delta = manager.swap(key, SwapParams(zeroForOne, -int256(inventory), edge), "");
        _square(key.currency0, delta >> 128);
        _square(key.currency1, int128(delta));
        return "";
    }

    function _moveV2(Target calldata target, bool zeroForOne, uint160 edge) private {
        (uint256 reserve0, uint256 reserve1,) = IPair(target.pool).getReserves();
        uint256 root = _sqrt(reserve0 * reserve1);
        (uint256 reserveIn, uint256 reserveOut) = zeroForOne ? (reserve0, reserve1) : (reserve1, reserve0);
        uint256 wanted = zeroForOne ? (root << 96) / edge : root * edge >> 96;
        if (wanted <= reserveIn) return;
        uint256 amountIn = (wanted - reserveIn) * 1000 / 997;
        address tokenIn = zeroForOne ? target.key.currency0 : target.key.currency1;
        uint256 inventory = _inventoryOf(tokenIn);
        if (amountIn > inventory) amountIn = inventory;
        uint256 withFee = amountIn * 997;
        uint256 out = withFee * reserveOut / (reserveIn * 1000 + withFee);
        if (out == 0) return;
        _pay(tokenIn, target.pool, amountIn);
        IPair(target.pool).swap(zeroForOne ? 0 : out, zeroForOne ? out : 0, address(this), "");
    }

    function _priceOf(Target calldata target) private view returns (uint160) {
        if (target.version == 4) {
            bytes32 id = keccak256(abi.encode(target.key));
            return uint160(uint256(manager.extsload(keccak256(abi.encode(id, POOLS_SLOT)))));
        }
        if (target.version == 3) {
            (uint160 price,,,,,,) = IPool(target.pool).slot0();
            return price;
        }
        (uint256 reserve0, uint256 reserve1,) = IPair(target.pool).getReserves();
        return reserve0 == 0 ? 0 : uint160(_sqrt((reserve1 << 128) / reserve0) << 32);
    }

    /// @dev Half of what there is, ETH and WETH counted as one: a single pool never takes the whole inventory.
    function _inventoryOf(address token) private view returns (uint256) {
        if (token == address(0) || token == weth) return (address(this).balance + IERC20(weth).balanceOf(address(this))) / 2;
        return IERC20(token).balanceOf(address(this)) / 2;
    }

    function _square(address currency, int256 delta) private {
        if (delta > 0) manager.take(currency, address(this), uint256(delta));
        if (delta >= 0) return;
        uint256 owed = uint256(-delta);
        if (currency == address(0)) {
            if (address(this).balance < owed) IWrapped(weth).withdraw(owed - address(this).balance);
            manager.settle{value: owed}();
        } else {
            manager.sync(currency);
            _pay(currency, address(manager), owed);
            manager.settle();
        }
    }

    function _pay(address token, address to, uint256 amount) private {
        if (token == weth) {
            uint256 held = IERC20(weth).balanceOf(address(this));
            if (held < amount) IWrapped(weth).deposit{value: amount - held}();
        }
        token.send(to, amount);
    }

    function _sqrt(uint256 n) private pure returns (uint256 root) {
        if (n == 0) return 0;
        // A first guess above the root, within a factor of two.
        root = 2;
        uint256 rest = n;
        for (uint256 shift = 128; shift > 1; shift >>= 1) {
            if (rest >> shift == 0) continue;
            rest >>= shift;
            root <<= shift / 2;
        }
        uint256 next = (root + n / root) >> 1;
        while (next < root) {
            root = next;
            next = (root + n / root) >> 1;
        }
    }
}
